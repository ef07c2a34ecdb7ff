import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { browserTimers } from '../../src/web/uploads/timers.ts'
import type { TransferDeps } from '../../src/web/uploads/transfer/put-bytes.ts'
import { sendWholeFile } from '../../src/web/uploads/transfer/send-whole-file.ts'
import {
  parseErrorCode,
  parseWholeNumber,
  type Send,
} from '../../src/web/uploads/transfer/storage-request.ts'
import { TransferError, type TransferJob } from '../../src/web/uploads/upload-ports.ts'
import { computePartChecksum } from './part-checksum.ts'
import { uploadTicket } from './upload-fixtures.ts'

/** How the server handles a PUT. Once all faults set by a test have been used, PUTs succeed. */
type Fault =
  | { kind: 'response'; status: number; headers?: Record<string, string>; body?: string }
  /** Stores the first `bytesBefore` bytes of the body, then resets the connection. */
  | { kind: 'reset'; bytesBefore: number }
  /** Stores the first `bytesBefore` bytes of the body, then stops responding. */
  | { kind: 'stall'; bytesBefore: number }
  /** Stores the whole body, then closes the connection without responding. */
  | { kind: 'silent success' }
  | { kind: 'behave' }

interface HeadResponse {
  status: number
  headers?: Record<string, string>
}

interface ReceivedRequest {
  method: string
  range: string | undefined
  type: string | undefined
  checksum: string | undefined
}

/** Creates a store for a single object, with injectable faults. */
function makeStore() {
  const requests: ReceivedRequest[] = []
  /**
   * Emits an event when the server stops responding, which a browser would notice only after ten
   * minutes.
   */
  const stallEvents = new EventTarget()
  let bytes = Buffer.alloc(0)
  let putFaults: Fault[] = []
  let headResponses: HeadResponse[] = []
  let sendsOffset = true

  const handlePut = (req: IncomingMessage, res: ServerResponse) => {
    const fault = putFaults.shift() ?? { kind: 'behave' }
    const start = Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0)
    if (fault.kind === 'response') {
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
    // Report a stall only once. Otherwise each further chunk of the body would report it again, and
    // later requests would time out.
    let isReported = false
    const reportStall = () => {
      if (!isReported) stallEvents.dispatchEvent(new Event('stall'))
      isReported = true
    }
    req.on('data', (chunk: Buffer) => {
      const remainingBytes =
        'bytesBefore' in fault ? Math.max(0, start + fault.bytesBefore - bytes.length) : Infinity
      bytes = Buffer.concat([bytes, chunk.subarray(0, Math.min(remainingBytes, chunk.length))])
      if (fault.kind === 'reset' && chunk.length >= remainingBytes) req.socket.destroy()
      if (fault.kind === 'stall' && chunk.length >= remainingBytes) reportStall()
    })
    req.on('error', () => undefined)
    req.on('end', () => {
      if (fault.kind === 'silent success') req.socket.destroy()
      else if (fault.kind === 'behave') res.writeHead(204).end()
    })
  }

  const server = createServer((req, res) => {
    const { range, 'content-type': type } = req.headers
    const checksum = req.headers['x-amz-checksum-crc32'] ?? req.headers['content-md5']
    requests.push({ method: req.method ?? '', range, type, checksum: checksum?.toString() })
    if (req.method === 'PUT') return handlePut(req, res)
    const { status, headers } = headResponses.shift() ?? { status: 200 }
    const offsetHeader = sendsOffset && status < 300 && { 'Upload-Offset': String(bytes.length) }
    return res.writeHead(status, { ...headers, ...offsetHeader }).end()
  })

  return {
    server,
    requests,
    stalled: stallEvents,
    stored: () => bytes,
    setStored: (initialBytes: Buffer) => {
      bytes = Buffer.from(initialBytes)
    },
    setPutFaults: (faults: Fault[]) => {
      putFaults = [...faults]
    },
    setHeadResponses: (responses: HeadResponse[]) => {
      headResponses = [...responses]
    },
    omitOffsets: () => {
      sendsOffset = false
    },
  }
}

/**
 * Creates a `Send` that uses node:http. As soon as the server stops responding, requests time out.
 * In a browser, they would do so only after ten minutes.
 */
function makeSend(stallEvents: EventTarget): Send {
  return ({ method, url, headers, body, signal, onSent }) =>
    new Promise((resolve, reject) => {
      const size = body?.size ?? 0
      const lengthHeader = { 'Content-Length': String(size) }
      const req = request(url, { method, headers: { ...headers, ...lengthHeader }, agent: false })
      let hasTimedOut = false
      const timeOut = () => {
        hasTimedOut = true
        req.destroy()
      }
      stallEvents.addEventListener('stall', timeOut)
      const abort = () => req.destroy()
      signal.addEventListener('abort', abort)
      const settle = (finish: () => void) => {
        stallEvents.removeEventListener('stall', timeOut)
        signal.removeEventListener('abort', abort)
        finish()
      }
      req.on('response', (res) => {
        let text = ''
        res.on('data', (chunk) => {
          text += chunk
        })
        const retryAfter = parseWholeNumber(res.headers['retry-after'])
        const uploadOffset = parseWholeNumber(res.headers['upload-offset']?.toString())
        const status = res.statusCode ?? 0
        res.on('end', () =>
          settle(() =>
            resolve({
              kind: 'response',
              status,
              code: status >= 400 ? parseErrorCode(text) : null,
              uploadOffset,
              retryAfterMs: retryAfter === null ? null : retryAfter * 1000,
            }),
          ),
        )
      })
      req.on('error', () =>
        settle(() => {
          if (signal.aborted) reject(signal.reason)
          else resolve({ kind: hasTimedOut ? 'timeout' : 'network' })
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
}

/**
 * Returns a hash of the bytes. Tests compare hashes, because a diff of several megabytes would be
 * unreadable.
 */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Returns the error with which a transfer failed. Throws if the transfer succeeded, or failed with
 * a different kind of error.
 */
export async function transferErrorOf(transfer: Promise<void>) {
  const error: unknown = await transfer.catch((caught: unknown) => caught)
  if (!(error instanceof TransferError)) throw error
  return { kind: error.kind, status: error.status }
}

/**
 * Opens a store that receives whole files over HTTP. Tests set its faults and read what it has
 * received. Retry delays are recorded rather than waited for. The test must close the store.
 */
export async function openWholeFileStore() {
  const store = makeStore()
  await new Promise<void>((resolve) => store.server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(store.server.address() as AddressInfo).port}/object`
  const content = randomBytes(3_000_000)
  const cancel = new AbortController()
  /** The recorded retry delays, the reported progress in bytes, and the number of interruptions. */
  const traces = { waits: [] as number[], progress: [] as number[], interruptions: 0 }
  const deps: TransferDeps = {
    send: makeSend(store.stalled),
    wait: async (ms, signal) => {
      signal.throwIfAborted()
      traces.waits.push(ms)
    },
    random: () => 0,
    isServerReady: async () => true,
    timers: browserTimers,
    checksums: { part: computePartChecksum },
  }

  return Object.assign(traces, {
    store,
    url,
    /** The bytes to send, unless a test passes a different file. */
    content,
    cancel,
    deps,
    upload: (file: Blob = new Blob([content]), job: Partial<TransferJob> = {}) =>
      sendWholeFile(
        {
          file,
          ticket: uploadTicket({ uploadUrl: url }),
          contentType: 'video/mp4',
          storedParts: [],
          hasOriginalDate: true,
          isResumed: false,
          signal: cancel.signal,
          onProgress: (bytes) => traces.progress.push(bytes),
          onInterrupted: () => {
            traces.interruptions += 1
          },
          ...job,
        },
        deps,
      ),
    methods: () => store.requests.map(({ method }) => method),
    /** Closes the store. Idempotent. */
    close: async () => {
      store.server.closeAllConnections()
      await new Promise((resolve) => store.server.close(resolve))
    },
  })
}

export type WholeFileStore = Awaited<ReturnType<typeof openWholeFileStore>>
