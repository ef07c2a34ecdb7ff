import { beforeEach, describe, expect, test } from 'vitest'
import type { StorageRequest } from './send.ts'
import type { Refusal } from './upload-failure.ts'
import { createUploadQueue, type UploadQueue, type UploadQueueEffects } from './upload-queue.ts'

const day = 24 * 3600_000
const created = new Date('2025-07-12T10:00:00Z')

const storedFile = (name: string, size: number) => ({
  id: crypto.randomUUID(),
  originalName: name,
  mimeType: 'text/plain',
  size,
  shortCode: 'Kd7wQm2xRt',
  createdAt: created.toISOString(),
  expiresAt: new Date(created.getTime() + 3 * day).toISOString(),
  maxLifetimeAt: new Date(created.getTime() + 30 * day).toISOString(),
  downloadCount: 0,
  uploadDuration: 1,
  purgedAt: null,
})

const file = (name: string, bytes = 10, type = 'text/plain') =>
  new File([new Uint8Array(bytes)], name, { type })

/** A world whose answers a test sets, and which writes down what was done to it. */
const makeWorld = () => {
  const log: string[] = []
  const toasts: { title: string; description: string }[] = []
  const requests: Parameters<UploadQueueEffects['getUploadUrl']>[0][] = []
  const puts: StorageRequest[] = []
  const world = {
    log,
    toasts,
    requests,
    puts,
    time: 0,
    guards: 0,
    refuseStart: (_: string): Refusal | null => null,
    refuseConfirm: (_: number): Refusal | null => null,
    whileSending: (_: StorageRequest): void | Promise<void> => undefined,
    putStatus: 200,
    /** Waits of two seconds end when the test says so. */
    endOutcome: () => {},
  }
  let confirms = 0
  const effects: UploadQueueEffects = {
    getUploadUrl: async (request) => {
      requests.push(request)
      log.push(`start ${request.fileName}`)
      const refusal = world.refuseStart(request.fileName)
      if (refusal) return { ok: false, refusal }
      const cloudKey = `key of ${request.fileName}`
      const metadata = { mimeType: 'signed/type', name: request.fileName, size: request.fileSize }
      return { ok: true, value: { uploadUrl: '/storage', cloudKey, metadata } }
    },
    confirmUpload: async ({ metadata, cloudKey }) => {
      confirms += 1
      log.push(`confirm ${cloudKey}`)
      const refusal = world.refuseConfirm(confirms)
      if (refusal) return { ok: false, refusal }
      return { ok: true, value: storedFile(String(metadata.name), Number(metadata.size)) }
    },
    abortUpload: (cloudKey) => void log.push(`abort ${cloudKey}`),
    send: async (request) => {
      puts.push(request)
      await world.whileSending(request)
      request.signal.throwIfAborted()
      request.onSent?.(request.body?.size ?? 0)
      return { kind: 'answer', status: world.putStatus, uploadOffset: null, retryAfterMs: null }
    },
    connection: { isOnline: () => true, untilOnline: async () => undefined },
    wait: (ms, signal) => {
      log.push(`wait ${ms}`)
      if (ms === 2000) {
        return new Promise((done) => {
          world.endOutcome = done
        })
      }
      return signal.aborted ? Promise.reject(signal.reason) : Promise.resolve()
    },
    now: () => world.time,
    onStored: ({ originalName }) => void log.push(`stored ${originalName}`),
    onNotice: ({ title, description }) => void toasts.push({ title, description }),
    guardPage: () => {
      world.guards += 1
      return () => {
        world.guards -= 1
      }
    },
  }
  return { world, queue: createUploadQueue(effects) }
}

let world: ReturnType<typeof makeWorld>['world']
let queue: UploadQueue

beforeEach(() => {
  const made = makeWorld()
  world = made.world
  queue = made.queue
})

const state = () => queue.getState()
const ended = () =>
  new Promise<void>((done) => {
    if (!state().running) return done()
    const stop = queue.subscribe(({ running }) => {
      if (running) return
      stop()
      done()
    })
  })

describe('a batch', () => {
  test('goes one file after another with a pause of 500 ms between them', async () => {
    state().add([file('a.txt'), file('b.txt')], 5, [])
    expect(state().running).toBe(true)
    await ended()
    expect(world.log).toEqual([
      'start a.txt',
      'confirm key of a.txt',
      'stored a.txt',
      'wait 500',
      'start b.txt',
      'confirm key of b.txt',
      'stored b.txt',
      'wait 2000',
    ])
  })

  test('sends what the contract asks for, and puts with the type that was signed', async () => {
    state().add([file('a\u202e:b?.txt', 4, 'text/plain;charset=utf-8')], 3, [])
    await ended()
    expect(world.requests).toEqual([
      { fileName: 'ab.txt', fileSize: 4, fileType: '', expirationDays: '3' },
    ])
    expect(world.puts[0]?.headers).toEqual({ 'Content-Type': 'signed/type' })
  })

  test("says 'Upload completed successfully!' and resets after 2 s", async () => {
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(state().outcome).toBe('Upload completed successfully!')
    expect(state().uploads).toHaveLength(1)
    world.endOutcome()
    await Promise.resolve()
    expect(state()).toMatchObject({ outcome: null, uploads: [] })
  })

  test('a new batch during these 2 s is not reset with the old one', async () => {
    state().add([file('a.txt')], 3, [])
    await ended()
    const endOld = world.endOutcome
    state().add([file('b.txt')], 3, [])
    endOld()
    await ended()
    expect(state().outcome).toBe('Upload completed successfully!')
    expect(state().uploads.map(({ name }) => name)).toEqual(['b.txt'])
  })

  test('takes files that come while it runs', async () => {
    let more = 1
    world.whileSending = () => {
      if (more-- > 0) state().add([file('late.txt')], 3, [])
    }
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(state().uploads.map(({ name, status }) => [name, status])).toEqual([
      ['a.txt', 'completed'],
      ['late.txt', 'completed'],
    ])
  })

  test('guards the page exactly while it runs', async () => {
    let during = 0
    world.whileSending = () => {
      during = world.guards
    }
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(during).toBe(1)
    expect(world.guards).toBe(0)
  })

  test('shows progress every 500 ms at most, and always the last byte', async () => {
    const shown: number[] = []
    queue.subscribe(({ uploads }) => {
      const sent = uploads[0]?.sent ?? 0
      if (shown.at(-1) !== sent) shown.push(sent)
    })
    world.whileSending = ({ onSent }) => {
      for (let sent = 0; sent < 1000; sent += 10) {
        world.time += 10
        onSent?.(sent)
      }
    }
    state().add([file('a.txt', 1000)], 3, [])
    await ended()
    expect(shown).toEqual([0, 490, 990, 1000])
  })
})

describe('failures', () => {
  test('a file that fails does not stop the others, and can be tried again', async () => {
    world.refuseStart = (name) =>
      name === 'a.txt' ? { status: 500, code: 'INTERNAL', message: null } : null
    state().add([file('a.txt'), file('b.txt')], 3, [])
    await ended()
    expect(world.toasts).toEqual([
      { title: 'Upload Error', description: 'Failed to get upload URL' },
    ])
    expect(state().outcome).toBe('1 of 2 files uploaded')
    expect(state().unsent).toMatchObject([{ name: 'a.txt', reason: 'Failed to get upload URL' }])

    world.refuseStart = () => null
    state().tryAgain(state().unsent[0]?.id ?? 0)
    await ended()
    expect(state().unsent).toEqual([])
    expect(world.log).toContain('stored a.txt')
  })

  test('an error of the tier is shown inline, and a full tier stops the rest', async () => {
    const message = 'The free tier holds 3 files at most. Upgrade to Premium.'
    world.refuseStart = () => ({ status: 403, code: 'TIER_FILE_COUNT', message })
    state().add([file('a.txt'), file('b.txt')], 3, [])
    await ended()
    expect(world.toasts).toEqual([])
    expect(world.requests).toHaveLength(1)
    expect(state().inlineError).toBe(message)
    expect(state().unsent.map(({ name }) => name)).toEqual(['a.txt', 'b.txt'])
    state().dismiss()
    expect(state()).toMatchObject({ inlineError: null, unsent: [] })
  })

  test('a file that is chosen again is no longer listed as not uploaded', async () => {
    world.refuseStart = () => ({ status: 500, code: 'INTERNAL', message: null })
    state().add([file('a.txt'), file('b.txt')], 3, [])
    await ended()
    world.refuseStart = () => null
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(state().unsent.map(({ name }) => name)).toEqual(['b.txt'])
  })

  test('signed out: no toast of its own, and nothing more is tried', async () => {
    world.refuseStart = () => ({ status: 401, code: 'UNAUTHORIZED', message: 'Unauthorized' })
    state().add([file('a.txt'), file('b.txt')], 3, [])
    await ended()
    expect(world.toasts).toEqual([])
    expect(world.requests).toHaveLength(1)
    expect(world.guards).toBe(0)
  })

  test('a refused transfer frees its place at the server', async () => {
    world.putStatus = 403
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(world.log).toEqual(['start a.txt', 'abort key of a.txt'])
    expect(world.toasts).toEqual([
      { title: 'Upload Failed', description: 'Direct S3 upload failed with status 403' },
    ])
    expect(state()).toMatchObject({ outcome: null, uploads: [] })
  })

  test('a confirmation that got no answer is asked again', async () => {
    world.refuseConfirm = (times) =>
      times < 3 ? { status: null, code: null, message: null } : null
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(world.log).toEqual([
      'start a.txt',
      'confirm key of a.txt',
      'wait 3000',
      'confirm key of a.txt',
      'wait 6000',
      'confirm key of a.txt',
      'stored a.txt',
      'wait 2000',
    ])
  })

  test('a confirmation that is refused is final', async () => {
    world.refuseConfirm = () => ({ status: 409, code: 'SIZE_MISMATCH', message: null })
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(world.toasts).toEqual([
      { title: 'Upload Failed', description: 'Failed to confirm upload' },
    ])
  })

  test('files that were left out are kept with their reasons', () => {
    state().add([], 3, [{ file: file('big.mov'), reason: 'Too large' }])
    expect(state().running).toBe(false)
    expect(state().unsent).toMatchObject([{ name: 'big.mov', reason: 'Too large', again: null }])
  })
})

describe('cancelling', () => {
  test("ends the running upload as 'Cancelled by user', frees its place and forgets the rest", async () => {
    world.whileSending = () => state().cancel()
    state().add([file('a.txt'), file('b.txt')], 3, [])
    await ended()
    expect(state()).toMatchObject({ outcome: 'Cancelled by user', uploads: [], unsent: [] })
    expect(world.log).toEqual(['start a.txt', 'abort key of a.txt', 'wait 2000'])
    expect(world.toasts).toEqual([])
    expect(world.guards).toBe(0)
  })

  test('before the transfer began also frees the place', async () => {
    world.refuseStart = () => {
      state().cancel()
      return null
    }
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(world.puts).toEqual([])
    expect(world.log).toContain('abort key of a.txt')
  })

  test('too late for a file that is being confirmed: it is stored', async () => {
    world.refuseConfirm = () => {
      state().cancel()
      return null
    }
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(world.log).toContain('stored a.txt')
    expect(state().outcome).toBe('Upload completed successfully!')
  })

  test('does not lose files that are added while it ends', async () => {
    let first = true
    world.whileSending = () => {
      if (!first) return
      first = false
      state().cancel()
      state().add([file('next.txt')], 3, [])
    }
    state().add([file('a.txt')], 3, [])
    await ended()
    expect(world.log).toContain('stored next.txt')
    expect(state().uploads.map(({ name }) => name)).toEqual(['next.txt'])
  })
})
