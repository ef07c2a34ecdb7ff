import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TransferFailed, type TransferJob } from '../upload-ports.ts'
import { maxFruitlessTries } from './fruitless-tries.ts'
import { FileUnreadable, hashPart } from './hash-blob.ts'
import { errorCode, type Send, type StorageAnswer, wholeNumber } from './send.ts'
import { type TransferDeps, transferFile } from './transfer.ts'

/** What the server does with one PUT; after the last of a list it behaves. */
type Fault =
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: string }
  /** Stores so many bytes of the body, then cuts the line. */
  | { kind: 'reset'; after: number }
  /** Stores so many bytes of the body, then says nothing more. */
  | { kind: 'stall'; after: number }
  /** Stores everything, then cuts the line instead of answering. */
  | { kind: 'silent success' }
  | { kind: 'behave' }

interface Seen {
  method: string
  range: string | undefined
  type: string | undefined
  checksum: string | undefined
}

/** Tells that the server has gone silent: what ten minutes of nothing tell in a browser. */
const stalled = new EventTarget()

/** A store that keeps one object and behaves badly on order. */
const makeStore = () => {
  const seen: Seen[] = []
  let bytes = Buffer.alloc(0)
  let puts: Fault[] = []
  let heads: number[] = []
  let tellsOffset = true

  const put = (req: IncomingMessage, res: ServerResponse) => {
    const fault = puts.shift() ?? { kind: 'behave' }
    const start = Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0)
    if (fault.kind === 'answer') {
      req.resume()
      req.on('end', () => res.writeHead(fault.status, fault.headers).end(fault.body))
      return
    }
    if (start > bytes.length || (start < bytes.length && req.headers.range)) {
      req.resume()
      req.on('end', () => res.writeHead(416, { 'Upload-Offset': String(bytes.length) }).end())
      return
    }
    bytes = bytes.subarray(0, start)
    // Once: what is still read of this body must not time out the requests that follow it.
    let isTold = false
    const tellStall = () => {
      if (!isTold) stalled.dispatchEvent(new Event('stall'))
      isTold = true
    }
    req.on('data', (chunk: Buffer) => {
      const room = 'after' in fault ? Math.max(0, start + fault.after - bytes.length) : Infinity
      bytes = Buffer.concat([bytes, chunk.subarray(0, Math.min(room, chunk.length))])
      if (fault.kind === 'reset' && chunk.length >= room) req.socket.destroy()
      if (fault.kind === 'stall' && chunk.length >= room) tellStall()
    })
    req.on('error', () => undefined)
    req.on('end', () => {
      if (fault.kind === 'silent success') req.socket.destroy()
      else if (fault.kind === 'behave') res.writeHead(204).end()
    })
  }

  const server = createServer((req, res) => {
    const { range, 'content-type': type } = req.headers
    const sent = req.headers['x-amz-checksum-crc32'] ?? req.headers['content-md5']
    seen.push({ method: req.method ?? '', range, type, checksum: sent?.toString() })
    if (req.method === 'PUT') return put(req, res)
    const status = heads.shift() ?? 200
    const headers = tellsOffset && status < 300 ? { 'Upload-Offset': String(bytes.length) } : {}
    return res.writeHead(status, headers).end()
  })

  return {
    server,
    seen,
    stored: () => bytes,
    keep: (already: Buffer) => {
      bytes = Buffer.from(already)
    },
    misbehave: (faults: Fault[]) => {
      puts = [...faults]
    },
    answerHeads: (statuses: number[]) => {
      heads = [...statuses]
    },
    forgetOffsets: () => {
      tellsOffset = false
    },
  }
}

/** `Send` over node:http, whose time-out comes when the server stalls instead of after ten minutes. */
const sendByNode: Send = ({ method, url, headers, body, signal, onSent }) =>
  new Promise((resolve, reject) => {
    const size = body?.size ?? 0
    const length = { 'Content-Length': String(size) }
    const req = request(url, { method, headers: { ...headers, ...length }, agent: false })
    let timedOut = false
    const timeOut = () => {
      timedOut = true
      req.destroy()
    }
    stalled.addEventListener('stall', timeOut)
    const abort = () => req.destroy()
    signal.addEventListener('abort', abort)
    const settle = (finish: () => void) => {
      stalled.removeEventListener('stall', timeOut)
      signal.removeEventListener('abort', abort)
      finish()
    }
    req.on('response', (res) => {
      let text = ''
      res.on('data', (chunk) => {
        text += chunk
      })
      const retryAfter = wholeNumber(res.headers['retry-after'])
      const uploadOffset = wholeNumber(res.headers['upload-offset']?.toString())
      const status = res.statusCode ?? 0
      res.on('end', () =>
        settle(() =>
          resolve({
            kind: 'answer',
            status,
            code: status >= 400 ? errorCode(text) : null,
            uploadOffset,
            retryAfterMs: retryAfter === null ? null : retryAfter * 1000,
          }),
        ),
      )
    })
    req.on('error', () =>
      settle(() => {
        if (signal.aborted) reject(signal.reason)
        else resolve({ kind: timedOut ? 'timeout' : 'network' })
      }),
    )
    if (!body) req.end()
    else {
      void body.arrayBuffer().then(
        (bytes) => {
          req.end(Buffer.from(bytes))
          onSent?.(bytes.byteLength)
        },
        () => req.destroy(new Error('unreadable')),
      )
    }
  })

const content = randomBytes(3_000_000)
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

let store: ReturnType<typeof makeStore>
let url: string
let waits: number[]
let progress: number[]
let interruptions: number
let cancel: AbortController
let isReady: boolean
let deps: TransferDeps

beforeEach(async () => {
  store = makeStore()
  await new Promise<void>((done) => store.server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(store.server.address() as AddressInfo).port}/object`
  waits = []
  progress = []
  interruptions = 0
  cancel = new AbortController()
  isReady = true
  deps = {
    send: sendByNode,
    wait: async (ms, signal) => {
      signal.throwIfAborted()
      waits.push(ms)
    },
    connection: { isOnline: () => true, untilOnline: async () => undefined },
    random: () => 0,
    isServerReady: async () => isReady,
    checksums: { part: hashPart },
  }
})

afterEach(async () => {
  store.server.closeAllConnections()
  await new Promise((done) => store.server.close(done))
})

const upload = (file: Blob = new Blob([content]), job: Partial<TransferJob> = {}) =>
  transferFile(
    {
      file,
      ticket: { uploadUrl: url, cloudKey: 'k', metadata: { mimeType: '' }, checksum: 'crc32' },
      contentType: 'video/mp4',
      held: [],
      hasFirstDate: true,
      resumed: false,
      partUrls: {},
      signal: cancel.signal,
      onProgress: (bytes) => progress.push(bytes),
      onInterrupted: () => {
        interruptions += 1
      },
      ...job,
    },
    deps,
  )

const failure = async (running: Promise<void>) => {
  const error: unknown = await running.catch((caught: unknown) => caught)
  if (!(error instanceof TransferFailed)) throw error
  return { kind: error.kind, status: error.status }
}

const methods = () => store.seen.map(({ method }) => method)

describe('a transfer that nothing disturbs', () => {
  test('is one PUT with the content type, and reports every byte', async () => {
    await upload()
    expect(sha(store.stored())).toBe(sha(content))
    const checksum = await hashPart(new Blob([content]), 'crc32', cancel.signal)
    expect(store.seen).toEqual([{ method: 'PUT', range: undefined, type: 'video/mp4', checksum }])
    expect(progress.at(-1)).toBe(content.length)
  })

  test('sends a slice even of all of it: a file that another tab chose may not leave whole', async () => {
    const { send } = deps
    const bodies: (Blob | null)[] = []
    deps.send = (request) => {
      bodies.push(request.body)
      return send(request)
    }
    await upload(new File([content], 'photo.jpg'))
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).not.toBeInstanceOf(File)
    expect(sha(store.stored())).toBe(sha(content))
  })

  test.each([200, 204])('success is %i', async (status) => {
    store.misbehave([{ kind: 'answer', status }])
    await expect(upload()).resolves.toBeUndefined()
  })

  test('an empty file is sent too', async () => {
    await upload(new Blob([]))
    expect(methods()).toEqual(['PUT'])
  })
})

describe('a transfer that is interrupted', () => {
  test('continues after 3 s from the bytes already sent, using a range header', async () => {
    store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await upload()
    expect(waits).toEqual([3000])
    expect(interruptions).toBe(1)
    expect(methods()).toEqual(['PUT', 'HEAD', 'PUT'])
    expect(store.seen[2]?.range).toBe('bytes=1000000-')
    expect(sha(store.stored())).toBe(sha(content))
    expect(progress).toContain(1_000_000)
  })

  test('on a time-out, the transfer is retried from the bytes already sent', async () => {
    store.misbehave([{ kind: 'stall', after: 2_000_000 }])
    await upload()
    expect(store.seen[2]?.range).toBe('bytes=2000000-')
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('sends nothing again when only the answer was lost', async () => {
    store.misbehave([{ kind: 'silent success' }])
    await upload()
    expect(methods()).toEqual(['PUT', 'HEAD'])
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('sends an empty file again when the answer was lost', async () => {
    store.misbehave([{ kind: 'silent success' }])
    await upload(new Blob([]))
    expect(methods()).toEqual(['PUT', 'HEAD', 'PUT'])
  })

  test.each([408, 429, 500, 502, 503, 504])('tries again after %i', async (status) => {
    store.misbehave([{ kind: 'answer', status }])
    await upload()
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('waits as long as Retry-After asks, within reason', async () => {
    store.misbehave([
      { kind: 'answer', status: 503, headers: { 'Retry-After': '20' } },
      { kind: 'answer', status: 503, headers: { 'Retry-After': '86400' } },
    ])
    await upload()
    expect(waits).toEqual([20_000, 60_000])
  })

  test('416 carries the right offset: the next PUT starts there at once', async () => {
    // The store loses its bytes between the question and the PUT that follows it.
    const send = deps.send
    deps.send = async (request) => {
      const answer = await send(request)
      if (request.method === 'HEAD') store.keep(content.subarray(0, 200))
      return answer
    }
    store.misbehave([{ kind: 'reset', after: 700 }])
    await upload()
    expect(store.seen.map(({ method, range }) => [method, range])).toEqual([
      ['PUT', undefined],
      ['HEAD', undefined],
      ['PUT', 'bytes=700-'],
      ['PUT', 'bytes=200-'],
    ])
    expect(waits).toEqual([3000])
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('a store that tells no offset gets the whole file again, never a tail', async () => {
    store.forgetOffsets()
    store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await upload()
    expect(store.seen[2]?.range).toBeUndefined()
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('a store that refuses HEAD gets the whole file again', async () => {
    store.answerHeads([403])
    store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await upload()
    expect(store.seen[2]?.range).toBeUndefined()
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('any number of interruptions is fine while each stores something new', async () => {
    const cuts = 3 * maxFruitlessTries
    store.misbehave(Array.from({ length: cuts }, () => ({ kind: 'reset', after: 1000 }) as const))
    await upload()
    expect(new Set(waits)).toEqual(new Set([3000]))
    expect(methods().filter((method) => method === 'PUT')).toHaveLength(cuts + 1)
    expect(sha(store.stored())).toBe(sha(content))
  })
})

describe('a transfer that goes on from an earlier try', () => {
  test('asks first, and sends only what is missing', async () => {
    store.keep(content.subarray(0, 1_500_000))
    await upload(undefined, { resumed: true })
    expect(store.seen.map(({ method, range }) => [method, range])).toEqual([
      ['HEAD', undefined],
      ['PUT', 'bytes=1500000-'],
    ])
    expect(waits).toEqual([])
    expect(interruptions).toBe(0)
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('sends nothing when all of it is there', async () => {
    store.keep(content)
    await upload(undefined, { resumed: true })
    expect(methods()).toEqual(['HEAD'])
    expect(progress.at(-1)).toBe(content.length)
  })
})

describe('the checksum of the body', () => {
  test('goes along in the header that the ticket names', async () => {
    const ticket = { uploadUrl: url, cloudKey: 'k', metadata: { mimeType: '' } }
    await upload(undefined, { ticket: { ...ticket, checksum: 'md5' } })
    const md5 = createHash('md5').update(content).digest('base64')
    expect(store.seen[0]?.checksum).toBe(md5)
  })

  test('is that of the whole file, so that what continues goes without', async () => {
    store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await upload()
    expect(store.seen.map(({ checksum }) => checksum !== undefined)).toEqual([true, false, false])
  })

  test('is left out where the browser cannot reckon it', async () => {
    deps.checksums = { part: async () => null }
    await upload()
    expect(store.seen[0]?.checksum).toBeUndefined()
    expect(sha(store.stored())).toBe(sha(content))
  })

  test.each([
    { status: 409, body: '{"message":"…","code":"CHECKSUM_MISMATCH"}' },
    { status: 400, body: '<?xml version="1.0"?><Error><Code>BadDigest</Code></Error>' },
  ])('a body that arrived altered ($status) is sent again', async ({ status, body }) => {
    store.misbehave([{ kind: 'answer', status, body }])
    await upload()
    expect(methods()).toEqual(['PUT', 'HEAD', 'PUT'])
    expect(sha(store.stored())).toBe(sha(content))
  })

  test('one that always arrives altered is given up', async () => {
    const altered = { kind: 'answer', status: 409, body: '{"code":"CHECKSUM_MISMATCH"}' } as const
    store.misbehave(Array.from({ length: 50 }, () => altered))
    expect(await failure(upload())).toEqual({ kind: 'status', status: 409 })
    expect(methods().filter((method) => method === 'PUT')).toHaveLength(maxFruitlessTries)
  })
})

test('an upload that is sealed already is complete', async () => {
  store.misbehave([{ kind: 'answer', status: 409, body: '{"code":"UPLOAD_SEALED"}' }])
  await expect(upload()).resolves.toBeUndefined()
  expect(methods()).toEqual(['PUT'])
})

describe('a transfer that cannot succeed', () => {
  test('is given up after a bounded number of tries with growing waits', async () => {
    store.misbehave(Array.from({ length: 50 }, () => ({ kind: 'answer', status: 500 }) as const))
    expect(await failure(upload())).toEqual({ kind: 'status', status: 500 })
    expect(methods().filter((method) => method === 'PUT')).toHaveLength(maxFruitlessTries)
    expect(waits).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000, 30_000])
  })

  test.each([400, 403, 409, 413])('is not tried again after %i', async (status) => {
    store.misbehave([{ kind: 'answer', status }])
    expect(await failure(upload())).toEqual({ kind: 'status', status })
    expect(methods()).toEqual(['PUT'])
  })

  test.each([404, 410])('is gone after %i', async (status) => {
    store.misbehave([{ kind: 'answer', status }])
    expect(await failure(upload())).toEqual({ kind: 'gone', status })
    expect(methods()).toEqual(['PUT'])
  })

  test('is given up although the server is there, where only its own PUT is blocked', async () => {
    deps.send = () => Promise.resolve({ kind: 'network' })
    expect(await failure(upload())).toEqual({ kind: 'network', status: null })
    expect(waits).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000, 30_000])
  })

  test('ends even when the two sides never agree on the offset', async () => {
    const disagree = { kind: 'answer', status: 416, headers: { 'Upload-Offset': '7' } } as const
    store.misbehave(Array.from({ length: 100 }, () => disagree))
    expect(await failure(upload())).toEqual({ kind: 'status', status: 416 })
  })

  test('says that the network failed when nobody is there', async () => {
    store.server.closeAllConnections()
    await new Promise((done) => store.server.close(done))
    expect(await failure(upload())).toEqual({ kind: 'network', status: null })
    expect(waits).toHaveLength(maxFruitlessTries - 1)
  })

  test('says at once that the file is gone when it can no longer be read', async () => {
    const gone = new Blob([content])
    gone.slice = () => gone
    gone.arrayBuffer = () => Promise.reject(new Error('NotReadableError'))
    await expect(upload(gone)).rejects.toBeInstanceOf(FileUnreadable)
    expect(waits).toEqual([])
  })

  test('says so too when it changes while the rest of it is sent', async () => {
    const changing = new Blob([content])
    store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    deps.wait = async () => {
      changing.slice = () => {
        const gone = new Blob([content.subarray(1_000_000)])
        gone.arrayBuffer = () => Promise.reject(new Error('NotReadableError'))
        return gone
      }
    }
    const send = deps.send
    deps.send = (request) =>
      request.headers.Range ? Promise.resolve({ kind: 'network' }) : send(request)
    expect(await failure(upload(changing))).toEqual({ kind: 'unreadable', status: null })
  })
})

describe('a server that is away', () => {
  /** The server is away for so many milliseconds of waiting, and answers this meanwhile. */
  const away = (ms: number, answer: StorageAnswer) => {
    const { send, wait } = deps
    let left = ms
    isReady = false
    deps.wait = async (waitMs, signal) => {
      left -= waitMs
      isReady = left <= 0
      await wait(waitMs, signal)
    }
    deps.send = (request) => (isReady ? send(request) : Promise.resolve(answer))
  }
  const status = (code: number): StorageAnswer => ({
    kind: 'answer',
    status: code,
    code: null,
    uploadOffset: null,
    retryAfterMs: null,
  })

  test.each([{ kind: 'network' } as const, { kind: 'stalled' } as const, status(502), status(503)])(
    'for an hour ends nothing (%o)',
    async (answer) => {
      away(3_600_000, answer)
      await upload()
      expect(sha(store.stored())).toBe(sha(content))
      expect(new Set(waits.slice(4))).toEqual(new Set([30_000]))
      expect(waits.length).toBeGreaterThan(100)
      expect(interruptions).toBeGreaterThanOrEqual(waits.length)
    },
  )

  test('and that is cancelled meanwhile ends with the reason', async () => {
    away(3_600_000, { kind: 'network' })
    const reason = new Error('Cancelled by user')
    deps.isServerReady = async () => {
      cancel.abort(reason)
      return false
    }
    await expect(upload()).rejects.toBe(reason)
  })
})

describe('waiting and cancelling', () => {
  test('while the browser is offline no try counts; it goes on when online', async () => {
    let questions = 0
    const send = deps.send
    let offline = true
    deps.connection = {
      isOnline: () => !offline,
      untilOnline: async () => {
        questions += 1
        if (questions > 5 * maxFruitlessTries) offline = false
      },
    }
    deps.send = (request) => (offline ? Promise.resolve({ kind: 'network' }) : send(request))
    await upload()
    expect(sha(store.stored())).toBe(sha(content))
    expect(waits).toEqual([])
  })

  test('cancelling ends a running request with the reason of the signal', async () => {
    store.misbehave([{ kind: 'stall', after: 0 }])
    const reason = new Error('Cancelled by user')
    const running = upload()
    store.server.once('request', () => cancel.abort(reason))
    await expect(running).rejects.toBe(reason)
    expect(methods()).toEqual(['PUT'])
  })

  test('cancelling ends a wait', async () => {
    const reason = new Error('Cancelled by user')
    store.misbehave([{ kind: 'answer', status: 503 }])
    deps.wait = async (_, signal) => {
      cancel.abort(reason)
      signal.throwIfAborted()
    }
    await expect(upload()).rejects.toBe(reason)
    expect(methods()).toEqual(['PUT'])
  })
})
