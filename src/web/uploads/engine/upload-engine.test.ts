import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { storedFile } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord, UploadTicket } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { wait } from '../transfer/connection.ts'
import type { Outcome, Refusal } from '../upload-failure.ts'
import { type StoredPart, TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { PickedFile } from '../uploads-state.ts'
import { createUploadData, type UploadData } from './upload-data.ts'
import { createEngine } from './upload-engine.ts'
import type { EngineEffects, UploadEngine } from './upload-engine-ports.ts'
import { uploadPath } from './upload-plan.ts'

const fileNamed = (originalName: string, size: number) =>
  storedFile({ id: `file of ${originalName}`, originalName, size })

const file = (name: string, bytes = 10, type = 'text/plain') =>
  new File([new Uint8Array(bytes)], name, { type, lastModified: 1_700_000_000_000 })

const refusal = (status: number | null, code = '', message: string | null = null): Refusal => ({
  status,
  code,
  message,
})
const refused = (...of: Parameters<typeof refusal>): Outcome<never> => ({
  ok: false,
  refusal: refusal(...of),
})

/** A world whose answers a test sets, and which writes down what was done to it. */
const makeWorld = () => {
  const handles = new Map<string, FileSystemFileHandle>()
  const world = {
    log: [] as string[],
    toasts: [] as { title: string; description?: string | undefined }[],
    requests: [] as Parameters<EngineEffects['calls']['getUploadUrl']>[0][],
    confirmations: [] as Parameters<EngineEffects['calls']['confirmUpload']>[0][],
    saved: new Map<string, UploadRecord>(),
    values: new Map<string, string>(),
    handles,
    listed: 0,
    holds: 0,
    awake: 0,
    changes: 0,
    user: 'ada' as string | null,
    isOnline: true,
    tickets: 0,
    onStart: (_: string): Outcome<never> | null => null,
    onConfirm: (_: number): Outcome<never> | null => null,
    onList: (): Outcome<{ parts: StoredPart[] }> => ({ ok: true, value: { parts: [] } }),
    onAbort: (_: string): Outcome<unknown> => ({ ok: true, value: null }),
    onSend: (_: TransferJob): void | Promise<void> => undefined,
    /** Waits until the test says so. */
    hold: () => {
      let release = () => {}
      const held = new Promise<void>((done) => {
        release = done
      })
      world.onSend = ({ signal }) =>
        Promise.race([
          held,
          new Promise<void>((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          ),
        ])
      return release
    },
  }
  const data: UploadData = createUploadData(
    {
      save: async (id, handle) => void handles.set(id, handle),
      get: async (id) => handles.get(id),
      remove: async (id) => void handles.delete(id),
    },
    async ({ name }) => `sample of ${name}`,
  )
  const effects: EngineEffects = {
    calls: {
      getUploadUrl: async (request) => {
        world.requests.push(request)
        world.log.push(`start ${request.fileName}`)
        if (request.ownerId !== world.user) return refused(401, 'UNAUTHORIZED')
        const answer = world.onStart(request.fileName)
        if (answer) return answer
        world.tickets += 1
        const value: UploadTicket = {
          uploadUrl: '/storage',
          cloudKey: `key of ${request.fileName}`,
          metadata: { mimeType: 'signed/type', name: request.fileName, size: request.fileSize },
          checksum: 'crc32',
        }
        return { ok: true, value }
      },
      listParts: async ({ cloudKey }) => {
        world.log.push(`list ${cloudKey}`)
        return world.onList()
      },
      confirmUpload: async (request) => {
        world.confirmations.push(request)
        world.log.push(`confirm ${request.cloudKey}`)
        const answer = world.onConfirm(world.confirmations.length)
        if (answer) return answer
        const { name, size } = request.metadata
        return { ok: true, value: fileNamed(String(name), Number(size)) }
      },
      abortUpload: async (cloudKey) => {
        world.log.push(`abort ${cloudKey}`)
        return world.onAbort(cloudKey)
      },
      currentUser: async () => ({ ok: true, value: world.user }),
    },
    sendFile: async (job) => {
      world.log.push(`send ${job.ticket.cloudKey}${job.resumed ? ' again' : ''}`)
      await world.onSend(job)
      job.signal.throwIfAborted()
      job.onProgress(job.file.size)
    },
    sha256: async () => 'a'.repeat(64),
    sample: async (of) => `sample of ${(of as File).name}`,
    connection: { isOnline: () => world.isOnline, untilOnline: async () => undefined },
    timers: browserTimers,
    wait,
    random: () => 0,
    records: {
      load: () => [...world.saved.values()],
      save: (record) => void world.saved.set(record.id, record),
      remove: (id) => void world.saved.delete(id),
      flush: () => undefined,
      discard: () => undefined,
    },
    storage: () => ({
      get length() {
        return world.values.size
      },
      key: (index) => [...world.values.keys()][index] ?? null,
      getItem: (key) => world.values.get(key) ?? null,
      setItem: (key, value) => void world.values.set(key, value),
      removeItem: (key) => void world.values.delete(key),
    }),
    data,
    onChange: () => {
      world.changes += 1
    },
    onStored: (files) => {
      world.listed += 1
      for (const { originalName } of files) world.log.push(`stored ${originalName}`)
    },
    onNotice: ({ title, description }) => void world.toasts.push({ title, description }),
    holdPage: () => {
      world.holds += 1
      return () => {
        world.holds -= 1
      }
    },
    keepAwake: () => {
      world.awake += 1
      return () => {
        world.awake -= 1
      }
    },
  }
  return { world, effects, data }
}

let world: ReturnType<typeof makeWorld>['world']
let effects: EngineEffects
let data: UploadData
let engine: UploadEngine
let ids: number

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2025-07-12T10:00:00Z') })
  ;({ world, effects, data } = makeWorld())
  ids = 0
  engine = createEngine('ada', [], effects)
})
afterEach(() => {
  engine.close()
  vi.useRealTimers()
})

/** Adds a drop as a tab does; answers the ids of its records. */
const add = (picked: readonly (File | PickedFile)[], userAgent = 'Desktop') => {
  const files = picked.map((one) => {
    ids += 1
    return { id: String(ids).padStart(6, '0'), picked: one instanceof File ? { file: one } : one }
  })
  const sizes = files.map(({ picked: { file: of } }) => of)
  const path = uploadPath(sizes, userAgent)
  void engine.add({ batch: `drop ${ids}`, path, expirationDays: 3, files })
  return files.map(({ id }) => id)
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const state = () => engine.state()
const shown = () => state().records.map(({ fileName, status }) => [fileName, status].join(' '))
/** The page is loaded anew: what was in memory is gone. */
const reload = () => {
  const found = structuredClone([...world.saved.values()])
  engine.close()
  for (const { id } of found) data.drop(id)
  engine = createEngine('ada', found, effects)
}

describe('a drop', () => {
  test('goes one file after another with a pause of 500 ms between them', async () => {
    add([file('a.txt'), file('b.txt')])
    await pass(499)
    expect(world.log).toEqual([
      'start a.txt',
      'send key of a.txt',
      'confirm key of a.txt',
      'stored a.txt',
    ])
    expect(shown()).toEqual(['a.txt completed', 'b.txt pending'])
    await pass(1)
    expect(shown()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('asks for what the contract wants, with the cleaned name, and claims the SHA-256', async () => {
    add([file('a\u202e:b?.txt', 4, 'text/plain;charset=utf-8')])
    await pass(0)
    expect(world.requests).toEqual([
      {
        fileName: 'ab.txt',
        fileSize: 4,
        fileType: '',
        expirationDays: '3',
        ownerId: 'ada',
        idempotencyKey: '000001',
      },
    ])
    expect(world.confirmations).toMatchObject([
      { cloudKey: 'key of ab.txt', uploadStartTime: Date.now(), sha256: 'a'.repeat(64) },
    ])
  })

  test("says 'Upload completed successfully!' for 2 s, and 'Upload Complete' in a toast", async () => {
    add([file('a.txt')])
    await pass(0)
    expect(world.toasts).toEqual([
      { title: 'Upload Complete', description: 'a.txt uploaded successfully' },
    ])
    expect(state().outcome).toBe('Upload completed successfully!')
    await pass(1999)
    expect(state().outcome).toBe('Upload completed successfully!')
    await pass(1)
    expect(state().outcome).toBeNull()
  })

  test('a new drop during these 2 s is not reset with the old one', async () => {
    add([file('a.txt')])
    await pass(1500)
    add([file('b.txt')])
    await pass(600)
    expect(state().outcome).toBe('Upload completed successfully!')
  })

  test('over 50MB or on a phone it goes in the background, with its own words', async () => {
    add([file('a.txt')], 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)')
    await pass(0)
    expect(state().records[0]?.path).toBe('background')
    expect(world.toasts).toEqual([{ title: 'a.txt uploaded successfully!' }])
    expect(state().outcome).toBeNull()
  })

  test('an empty file is a file', async () => {
    add([file('empty', 0)])
    await pass(0)
    expect(state().records).toMatchObject([{ status: 'completed', progress: 100 }])
  })

  test('holds the page exactly while it runs, and leaves no timer but the cleanup', async () => {
    let during = 0
    world.onSend = () => {
      during = world.holds
    }
    add([file('a.txt')])
    await pass(10_000)
    expect(during).toBe(1)
    expect([world.holds, world.awake]).toEqual([0, 0])
    expect(vi.getTimerCount()).toBe(1)
    engine.clear()
    await pass(60_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('shows progress every 500 ms at most, and always the last byte', async () => {
    const seen = new Set<number>()
    world.onSend = async ({ onProgress }) => {
      for (let sent = 0; sent < 1000; sent += 10) {
        onProgress(sent)
        seen.add(state().records[0]?.uploadedBytes ?? -1)
        vi.advanceTimersByTime(10)
      }
    }
    add([file('a.txt', 1000)])
    await pass(0)
    expect([...seen]).toEqual([0, 500])
    expect(state().records[0]?.uploadedBytes).toBe(1000)
  })

  test('tells that the connection was lost, and how fast it is', async () => {
    const lives: unknown[] = []
    world.onSend = async ({ onProgress, onInterrupted }) => {
      onProgress(0)
      vi.advanceTimersByTime(4000)
      onProgress(4000)
      lives.push(Object.values(state().live)[0])
      onInterrupted()
      lives.push(Object.values(state().live)[0])
    }
    add([file('a.txt', 10_000)])
    await pass(0)
    expect(lives).toEqual([
      { interrupted: false, bytesPerSecond: 1000 },
      { interrupted: true, bytesPerSecond: null },
    ])
    expect(state().live).toEqual({})
  })
})

describe('a thousand files', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${index}.raw`)

  test('overlap six at a time, and are told of once', async () => {
    let now = 0
    let most = 0
    world.onSend = async () => {
      now += 1
      most = Math.max(most, now)
      await new Promise((done) => setTimeout(done, 20))
      now -= 1
    }
    add(names.map((name) => file(name)))
    await pass(1000 * 20)
    expect(most).toBe(6)
    expect(state().records.every(({ status }) => status === 'completed')).toBe(true)
    expect(world.toasts).toEqual([
      { title: 'Upload Complete', description: '1000 files uploaded successfully' },
    ])
    // 1,000 files in some 3.4 s: shown by the frame, listed by the second.
    expect(world.changes).toBeLessThan(100)
    expect(world.listed).toBeLessThan(7)
    expect(world.log.filter((line) => line.startsWith('stored'))).toHaveLength(1000)
  })

  test('a full tier ends them all, with one inline error', async () => {
    const message = 'The free tier holds 3 files at most. Upgrade to Premium.'
    world.onStart = () => refused(403, 'TIER_FILE_COUNT', message)
    add(names.map((name) => file(name)))
    await pass(0)
    expect(world.requests.length).toBeLessThan(7)
    expect(state().inlineError).toBe(message)
    expect(state().records.every(({ status }) => status === 'failed')).toBe(true)
    expect(world.toasts).toHaveLength(1)
  })
})

describe('failures', () => {
  test('a file that fails does not stop the others, and can be tried again', async () => {
    world.onStart = (name) => (name === 'a.txt' ? refused(500) : null)
    const [id = ''] = add([file('a.txt'), file('b.txt')])
    await pass(1000)
    expect(world.toasts[0]).toEqual({
      title: 'Upload Error',
      description: 'Failed to get upload URL',
    })
    expect(state().outcome).toBe('1 of 2 files uploaded')
    expect(state().records[0]).toMatchObject({ error: 'Failed to get upload URL' })
    world.onStart = () => null
    engine.resume(id)
    await pass(0)
    expect(shown()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('an error of the tier is shown inline, and a full tier stops the rest', async () => {
    const message = 'The free tier holds 3 files at most. Upgrade to Premium.'
    world.onStart = () => refused(403, 'TIER_FILE_COUNT', message)
    add([file('a.txt'), file('b.txt')])
    await pass(1000)
    expect(world.toasts).toEqual([])
    expect(world.requests).toHaveLength(1)
    expect(state().inlineError).toBe(message)
    expect(shown()).toEqual(['a.txt failed', 'b.txt failed'])
    engine.dismissInlineError()
    expect(state().inlineError).toBeNull()
  })

  test('a failed transfer keeps its bytes, so that trying again goes on from them', async () => {
    world.onSend = () => {
      throw new TransferFailed('network')
    }
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
    expect(world.toasts).toEqual([
      { title: 'Upload Failed', description: 'Network error during upload' },
    ])
    world.onSend = () => undefined
    engine.resume(id)
    await pass(0)
    expect(world.log.slice(2, 5)).toEqual([
      'list key of a.txt',
      'send key of a.txt again',
      'confirm key of a.txt',
    ])
  })

  test('clearing a failed one frees its place', async () => {
    world.onSend = () => {
      throw new TransferFailed('status', 400)
    }
    add([file('a.txt')])
    await pass(0)
    engine.clear()
    expect(world.log.at(-1)).toBe('abort key of a.txt')
    expect(state().records).toEqual([])
    expect(world.saved.size).toBe(0)
  })

  test('a confirmation that got no answer is asked again, with growing waits', async () => {
    const times: number[] = []
    const began = Date.now()
    world.onConfirm = (count) => {
      times.push(Date.now() - began)
      return count < 3 ? refused(null) : null
    }
    add([file('a.txt')])
    await pass(10_000)
    expect(times).toEqual([0, 3000, 9000])
    expect(shown()).toEqual(['a.txt completed'])
  })

  test('a start that got no answer is asked again too, an error is final', async () => {
    let tries = 0
    world.onStart = () => {
      tries += 1
      return tries < 3 ? refused(503) : refused(500)
    }
    add([file('a.txt')])
    await pass(60_000)
    expect(tries).toBe(3)
    expect(shown()).toEqual(['a.txt failed'])
  })

  test('while the browser is offline no try counts', async () => {
    world.isOnline = false
    let tries = 0
    effects.connection.untilOnline = () => new Promise((done) => setTimeout(done, 30_000))
    world.onStart = () => {
      tries += 1
      if (tries === 20) world.isOnline = true
      return tries < 20 ? refused(null) : null
    }
    add([file('a.txt')])
    await pass(700_000)
    expect(shown()).toEqual(['a.txt completed'])
  })

  test('bytes that differ at the end are sent once more', async () => {
    world.onConfirm = (times) => (times === 1 ? refused(409, 'CHECKSUM_MISMATCH') : null)
    add([file('a.txt')])
    await pass(0)
    expect(world.log).toContain('send key of a.txt again')
    expect(shown()).toEqual(['a.txt completed'])
  })
})

describe('cancelling', () => {
  test("ends a foreground drop as 'Cancelled by user' and frees the place", async () => {
    world.hold()
    add([file('a.txt'), file('b.txt')])
    await pass(0)
    engine.cancelForeground()
    await pass(1000)
    expect(state().outcome).toBe('Cancelled by user')
    expect(state().records.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'Cancelled by user'],
      ['failed', 'Cancelled by user'],
    ])
    await pass(1000)
    expect(state().records).toEqual([])
    expect(world.saved.size).toBe(0)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt', 'abort key of a.txt'])
    expect(world.toasts).toEqual([])
    expect(world.holds).toBe(0)
  })

  test('before the place was given frees it as soon as it is', async () => {
    const [id = ''] = add([file('a.txt')])
    engine.cancel(id)
    await pass(0)
    expect(world.log).toEqual(['start a.txt', 'abort key of a.txt'])
  })

  test('too late for a file that is being confirmed: the list shows it', async () => {
    const [id = ''] = add([file('a.txt')])
    world.onConfirm = () => {
      engine.cancel(id)
      return null
    }
    await pass(0)
    expect(world.log).toContain('stored a.txt')
    await pass(2000)
    expect(state().records).toEqual([])
  })

  test('is not shown again after a reload', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    engine.cancel(id)
    reload()
    expect(state().records).toEqual([])
    expect(world.saved.size).toBe(0)
  })

  test('one of several: the next has its turn', async () => {
    world.hold()
    const [first = ''] = add([file('a.txt'), file('b.txt')])
    await pass(0)
    world.onSend = () => undefined
    engine.cancel(first)
    await pass(500)
    expect(shown()).toEqual(['a.txt failed', 'b.txt completed'])
    expect(state().outcome).toBe('Upload completed successfully!')
  })
})

describe('a place that could not be freed', () => {
  test('is asked for until the server answers, also after a reload', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    world.onAbort = () => refused(null)
    engine.cancel(id)
    await pass(60_000)
    const tries = world.log.filter((line) => line === 'abort key of a.txt').length
    expect(tries).toBeGreaterThan(2)
    expect([...world.values]).toEqual([['mayfly.abort.key of a.txt', 'ada']])
    engine.close()
    world.log.length = 0
    // Swept meanwhile: that is an answer too.
    world.onAbort = () => refused(404)
    await pass(120_000)
    engine = createEngine('bob', [], effects)
    await pass(120_000)
    expect(world.log).toEqual([])
    engine.close()
    engine = createEngine('ada', [], effects)
    await pass(0)
    expect(world.log).toEqual(['abort key of a.txt'])
    expect(world.values.size).toBe(0)
    await pass(120_000)
    expect(world.log).toHaveLength(1)
  })

  test('waits for a sign-in', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    world.onAbort = () => refused(401)
    engine.cancel(id)
    await pass(120_000)
    expect(world.log.filter((line) => line.startsWith('abort'))).toHaveLength(1)
    world.onAbort = () => ({ ok: true, value: null })
    await engine.resumeSignedIn()
    await pass(0)
    expect(world.log.filter((line) => line.startsWith('abort'))).toHaveLength(2)
    expect(world.values.size).toBe(0)
  })
})

describe('without its file', () => {
  const allHeld: Outcome<{ parts: StoredPart[] }> = {
    ok: true,
    value: { parts: [{ partNumber: 1, size: 30 }] },
  }
  const stopAtConfirm = async () => {
    world.onConfirm = () => refused(null)
    add([file('a.txt', 30)])
    await pass(0)
    expect(state().records).toMatchObject([{ status: 'uploading', progress: 100 }])
    reload()
    world.log.length = 0
    world.onConfirm = () => null
  }

  test.each([
    ['held as a whole', () => allHeld],
    ['a file already', () => refused(404)],
  ])('what is %s is confirmed, after 5 s as everything', async (_, onList) => {
    await stopAtConfirm()
    world.onList = onList
    await pass(4900)
    expect(state().records).toMatchObject([{ status: 'paused', need: null }])
    await pass(1200)
    expect(shown()).toEqual(['a.txt completed'])
    expect(world.log.filter((line) => line.startsWith('send'))).toEqual([])
    expect(world.confirmations.at(-1)?.sha256).toBeUndefined()
  })

  test('what is held in part asks for it', async () => {
    await stopAtConfirm()
    world.onList = () => ({ ok: true, value: { parts: [{ partNumber: 1, size: 20 }] } })
    await pass(0)
    expect(state().records).toMatchObject([{ status: 'paused', need: 'file' }])
    await pass(60_000)
    expect(world.log).toEqual(['list key of a.txt'])
  })

  test('what turns out to be neither a file nor there asks for it', async () => {
    await stopAtConfirm()
    world.onList = () => refused(404)
    world.onConfirm = () => refused(404)
    await pass(6100)
    expect(state().records).toMatchObject([{ status: 'paused', need: 'file' }])
  })

  test('what was refused when all was held is confirmed by trying again', async () => {
    const message = 'The free tier holds 3 files at most. Upgrade to Premium.'
    world.onConfirm = () => refused(403, 'TIER_FILE_COUNT', message)
    const [id = ''] = add([file('a.txt', 30)])
    await pass(0)
    expect(shown()).toEqual(['a.txt failed'])
    reload()
    world.onList = () => allHeld
    world.onConfirm = () => null
    engine.resume(id)
    await pass(0)
    expect(shown()).toEqual(['a.txt completed'])
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(1)
  })

  test('a file that could not be read is asked for when it is tried again', async () => {
    world.onSend = () => {
      throw new TransferFailed('unreadable')
    }
    const handle = { getFile: async () => file('a.txt') } as FileSystemFileHandle
    const [id = ''] = add([{ file: file('a.txt'), handle }])
    await pass(0)
    expect(shown()).toEqual(['a.txt failed'])
    engine.resume(id)
    await pass(0)
    expect(state().records).toMatchObject([{ status: 'paused', need: 'file' }])
  })
})

describe('after a reload', () => {
  test('what ran and what waited is paused, and asks for its file', async () => {
    world.hold()
    add([file('a.txt'), file('b.txt')])
    await pass(0)
    reload()
    expect(shown()).toEqual(['a.txt paused', 'b.txt paused'])
    await pass(0)
    expect(state().records.map(({ need }) => need)).toEqual(['file', 'file'])
    expect(state().wanted).toHaveLength(2)
    expect(world.holds).toBe(0)
  })

  test('the same file picked again goes on from what storage holds', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt', 30)])
    await pass(0)
    reload()
    await pass(0)
    world.onList = () => ({ ok: true, value: { parts: [{ partNumber: 1, size: 20 }] } })
    const held: unknown[] = []
    world.onSend = (job) => void held.push(job.held)
    await engine.provideFile(id, { file: file('a.txt', 30) })
    await pass(0)
    expect(held).toEqual([[{ partNumber: 1, size: 20 }]])
    expect(world.tickets).toBe(1)
    expect(shown()).toEqual(['a.txt completed'])
  })

  test('a different file is refused by name', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    reload()
    await engine.provideFile(id, { file: file('b.txt') })
    expect(world.toasts).toEqual([
      {
        title: 'Not the same file',
        description: 'b.txt is not a.txt. Choose a.txt to go on with its upload.',
      },
    ])
    expect(shown()).toEqual(['a.txt paused'])
  })

  test('a drop of what waits goes on with it, and uploads the rest', async () => {
    world.hold()
    add([file('a.txt')])
    await pass(0)
    reload()
    await pass(0)
    world.onSend = () => undefined
    add([file('new.txt'), file('a.txt')])
    await pass(2000)
    expect(shown()).toEqual(['a.txt completed', 'new.txt completed'])
    expect(world.log).toContain('list key of a.txt')
  })

  test('two of one name and size: each gets its own file, and a third one is new', async () => {
    world.hold()
    engine.close()
    effects.sample = (of) => of.text()
    engine = createEngine('ada', [], effects)
    const named = (text: string, lastModified: number) =>
      new File([text], 'a.txt', { type: 'text/plain', lastModified })
    // So many that they are under way together: each has been recognised.
    add([
      named('one..', 1),
      named('two..', 2),
      ...Array.from({ length: 9 }, (_, index) => file(`${index}.txt`)),
    ])
    await pass(0)
    reload()
    await pass(0)
    world.onSend = () => undefined
    add([named('two..', 5), named('new..', 6), named('one..', 7)])
    await pass(5000)
    const ofThatName = state().records.filter(({ fileName }) => fileName === 'a.txt')
    expect(ofThatName.map(({ status, identity }) => [status, identity.sample])).toEqual([
      ['completed', 'one..'],
      ['completed', 'two..'],
      ['completed', 'new..'],
    ])
  })

  test('data that is in memory goes on by itself after 5 s', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    reload()
    data.hold(id, { file: file('a.txt') })
    world.onSend = () => undefined
    await pass(4900)
    expect(shown()).toEqual(['a.txt paused'])
    await pass(1200)
    expect(shown()).toEqual(['a.txt completed'])
  })

  test('a handle that may still be read does the same', async () => {
    world.hold()
    const handle = { getFile: async () => file('a.txt') } as FileSystemFileHandle
    add([{ file: file('a.txt'), handle }])
    await pass(0)
    reload()
    world.onSend = () => undefined
    await pass(6100)
    expect(shown()).toEqual(['a.txt completed'])
    expect(world.handles.size).toBe(0)
  })

  test.each([
    ['NotAllowedError', 'paused', 'permission', null],
    ['NotFoundError', 'failed', null, 'Resume failed - file data lost. Please restart upload.'],
  ])('a handle that answers %s: %s', async (name, status, need, error) => {
    world.hold()
    const getFile = () => Promise.reject(new DOMException('', name))
    add([{ file: file('a.txt'), handle: { getFile } as unknown as FileSystemFileHandle }])
    await pass(0)
    reload()
    await pass(6100)
    expect(state().records).toMatchObject([{ status, need, error }])
  })

  test('what was pasted is lost', async () => {
    world.hold()
    add([{ file: file('image.png'), pasted: true }])
    await pass(0)
    reload()
    await pass(0)
    expect(shown()).toEqual(['image.png paused'])
    await pass(6100)
    expect(state().records).toMatchObject([
      { status: 'failed', error: 'Resume failed - file data lost. Please restart upload.' },
    ])
  })

  test('an upload whose confirmation was answered to nobody is found to be a file', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    reload()
    world.onList = () => refused(404)
    await engine.provideFile(id, { file: file('a.txt') })
    await pass(0)
    expect(shown()).toEqual(['a.txt completed'])
    expect(world.tickets).toBe(1)
  })

  test('one that was swept starts anew, but not as somebody else', async () => {
    world.hold()
    const [id = ''] = add([file('a.txt')])
    await pass(0)
    reload()
    world.onSend = () => undefined
    world.onList = () => refused(404)
    world.onConfirm = (times) => (times === 1 ? refused(404) : null)
    world.user = 'bob'
    await engine.provideFile(id, { file: file('a.txt') })
    await pass(0)
    expect(state().records).toMatchObject([{ status: 'paused', need: 'sign-in' }])
    world.user = 'ada'
    await engine.resumeSignedIn()
    await pass(0)
    expect(shown()).toEqual(['a.txt completed'])
    expect(world.tickets).toBe(2)
  })

  test('what ended over 24 h ago goes within a minute, bytes, handle and all', async () => {
    world.onStart = (name) => (name === 'b.txt' ? refused(400) : null)
    add([file('a.txt'), file('b.txt')])
    await pass(1000)
    await pass(24 * 3_600_000 - 60_000)
    expect(state().records).toHaveLength(2)
    await pass(180_000)
    expect(state().records).toEqual([])
    expect(world.saved.size).toBe(0)
  })
})

describe('a lapsed session', () => {
  test('keeps the page while it has bytes that no handle finds again, and lets the device sleep', async () => {
    world.onStart = () => refused(401)
    const handle = { getFile: async () => file('a.txt') } as FileSystemFileHandle
    add([{ file: file('a.txt'), handle }])
    await pass(1000)
    expect(world.holds).toBe(0)
    const [id = ''] = add([file('b.txt')])
    expect([world.holds, world.awake]).toEqual([1, 1])
    await pass(1000)
    expect(shown()).toEqual(['a.txt paused', 'b.txt paused'])
    expect([world.holds, world.awake]).toEqual([1, 0])
    engine.cancel(id)
    expect(world.holds).toBe(0)
  })

  test('pauses what finds out and what waits, says so once, and goes on afterwards', async () => {
    world.onStart = () => refused(401)
    add([file('a.txt'), file('b.txt')])
    await pass(1000)
    expect(world.requests).toHaveLength(1)
    expect(state().records.map(({ need }) => need)).toEqual(['sign-in', 'sign-in'])
    expect(world.toasts).toEqual([
      {
        title: 'Upload paused',
        description: 'You were signed out. Sign in, and it goes on where it stopped.',
      },
    ])
    await pass(60_000)
    expect(world.requests).toHaveLength(1)

    world.onStart = () => null
    world.user = null
    await engine.resumeSignedIn()
    await pass(0)
    expect(shown()).toEqual(['a.txt paused', 'b.txt paused'])
    world.user = 'ada'
    await engine.resumeSignedIn()
    await pass(1000)
    expect(shown()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('another upload under way goes on for as long as it can', async () => {
    const release = world.hold()
    add(Array.from({ length: 11 }, (_, index) => file(`${index}.txt`)))
    await pass(0)
    world.onStart = () => refused(401)
    world.onConfirm = (times) => (times > 1 ? refused(401) : null)
    release()
    await pass(0)
    expect(state().records.filter(({ status }) => status === 'completed')).toHaveLength(1)
    expect(state().records.filter(({ need }) => need === 'sign-in')).toHaveLength(10)
  })
})

test('robbed of the lead, nothing runs and nothing is written any more', async () => {
  world.hold()
  add([file('a.txt')])
  await pass(0)
  const saved = structuredClone([...world.saved.values()])
  engine.abandon()
  await pass(60_000)
  expect([...world.saved.values()]).toEqual(saved)
  expect([world.holds, world.awake]).toEqual([0, 0])
  expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
})

test('closing pauses what runs and stops everything', async () => {
  world.hold()
  add([file('a.txt'), file('b.txt')])
  await pass(0)
  engine.close()
  expect([...world.saved.values()].map(({ status }) => status)).toEqual(['paused', 'paused'])
  expect(world.holds).toBe(0)
  await pass(60_000)
  expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
})
