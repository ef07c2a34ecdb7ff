import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  openWholeFileStore,
  sha256,
  type WholeFileStore,
} from '../../../../tests/support/whole-file-store.ts'
import { firstWaitMs, maxAttempts, maxRetryAfterMs } from './retry-policy.ts'

let world: WholeFileStore
beforeEach(async () => {
  world = await openWholeFileStore()
})
afterEach(() => world.close())

describe('an interrupted transfer', () => {
  test('continues after a wait from the bytes already sent, using a Range header', async () => {
    world.store.setPutFaults([{ kind: 'reset', bytesBefore: 1_000_000 }])
    await world.upload()
    expect(world.waits).toEqual([firstWaitMs])
    expect(world.interruptions).toBe(1)
    expect(world.methods()).toEqual(['PUT', 'HEAD', 'PUT'])
    expect(world.store.requests[2]?.range).toBe('bytes=1000000-')
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
    expect(world.progress).toContain(1_000_000)
  })

  test('continues after a timeout from the bytes already sent', async () => {
    world.store.setPutFaults([{ kind: 'stall', bytesBefore: 2_000_000 }])
    await world.upload()
    expect(world.store.requests[2]?.range).toBe('bytes=2000000-')
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('resends nothing if only the response was lost', async () => {
    world.store.setPutFaults([{ kind: 'silent success' }])
    await world.upload()
    expect(world.methods()).toEqual(['PUT', 'HEAD'])
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('resends an empty file if the response was lost', async () => {
    world.store.setPutFaults([{ kind: 'silent success' }])
    await world.upload(new Blob([]))
    expect(world.methods()).toEqual(['PUT', 'HEAD', 'PUT'])
  })

  test.each([408, 429, 500, 502, 503, 504, 507])('is retried after %i', async (status) => {
    world.store.setPutFaults([{ kind: 'response', status }])
    await world.upload()
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('honors Retry-After up to a limit', async () => {
    world.store.setPutFaults([
      { kind: 'response', status: 503, headers: { 'Retry-After': '20' } },
      { kind: 'response', status: 503, headers: { 'Retry-After': '86400' } },
    ])
    await world.upload()
    expect(world.waits).toEqual([20_000, maxRetryAfterMs])
  })

  test('continues immediately at the offset of a 416 response', async () => {
    // Simulates storage that loses bytes between the HEAD request for the offset and the next PUT.
    const send = world.deps.send
    world.deps.send = async (request) => {
      const response = await send(request)
      if (request.method === 'HEAD') world.store.setStored(world.content.subarray(0, 200))
      return response
    }
    world.store.setPutFaults([{ kind: 'reset', bytesBefore: 700 }])
    await world.upload()
    expect(world.store.requests.map(({ method, range }) => [method, range])).toEqual([
      ['PUT', undefined],
      ['HEAD', undefined],
      ['PUT', 'bytes=700-'],
      ['PUT', 'bytes=200-'],
    ])
    expect(world.waits).toEqual([firstWaitMs])
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('resends the whole file if storage reports no offset', async () => {
    world.store.omitOffsets()
    world.store.setPutFaults([{ kind: 'reset', bytesBefore: 1_000_000 }])
    await world.upload()
    expect(world.store.requests[2]?.range).toBeUndefined()
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('resends the whole file if storage rejects HEAD', async () => {
    world.store.setHeadResponses([{ status: 403 }])
    world.store.setPutFaults([{ kind: 'reset', bytesBefore: 1_000_000 }])
    await world.upload()
    expect(world.store.requests[2]?.range).toBeUndefined()
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('retries a busy server after Retry-After, without limit or data loss', async () => {
    const busy = { status: 503, headers: { 'Retry-After': '40' } }
    const interruptionCount = 2 * maxAttempts
    world.store.setHeadResponses(Array.from({ length: interruptionCount }, () => busy))
    world.store.setPutFaults([{ kind: 'reset', bytesBefore: 1_000_000 }])
    await world.upload()
    const headRequests = Array.from({ length: interruptionCount + 1 }, () => 'HEAD')
    expect(world.methods()).toEqual(['PUT', ...headRequests, 'PUT'])
    expect(world.waits).toEqual([
      firstWaitMs,
      ...Array.from({ length: interruptionCount }, () => 40_000),
    ])
    expect(world.store.requests.at(-1)?.range).toBe('bytes=1000000-')
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('survives any number of interruptions that each store new bytes', async () => {
    const interruptionCount = 3 * maxAttempts
    world.store.setPutFaults(
      Array.from(
        { length: interruptionCount },
        () => ({ kind: 'reset', bytesBefore: 1000 }) as const,
      ),
    )
    await world.upload()
    expect(new Set(world.waits)).toEqual(new Set([firstWaitMs]))
    expect(world.methods().filter((method) => method === 'PUT')).toHaveLength(interruptionCount + 1)
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })
})

describe('a stalled body', () => {
  test('gets more time with each attempt, until new bytes are stored', async () => {
    const stallTimeoutsMs: (number | undefined)[] = []
    const send = world.deps.send
    world.deps.send = (request) => {
      if (request.method === 'HEAD') return send(request)
      stallTimeoutsMs.push(request.stallMs)
      if (stallTimeoutsMs.length === 2) world.store.setStored(world.content.subarray(0, 1000))
      return stallTimeoutsMs.length < 4 ? Promise.resolve({ kind: 'stalled' }) : send(request)
    }
    await world.upload()
    expect(stallTimeoutsMs.map((ms) => (ms ?? 0) / 1000)).toEqual([30, 60, 30, 60])
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })
})

test('the whole file is resent if storage has more bytes than the file', async () => {
  world.store.setStored(Buffer.concat([world.content, Buffer.from('more')]))
  await world.upload(undefined, { isResumed: true })
  expect(world.store.requests[1]?.range).toBeUndefined()
  expect(sha256(world.store.stored())).toBe(sha256(world.content))
})

describe('a transfer that continues an earlier attempt', () => {
  test('asks for the offset first and sends only the missing bytes', async () => {
    world.store.setStored(world.content.subarray(0, 1_500_000))
    await world.upload(undefined, { isResumed: true })
    expect(world.store.requests.map(({ method, range }) => [method, range])).toEqual([
      ['HEAD', undefined],
      ['PUT', 'bytes=1500000-'],
    ])
    expect(world.waits).toEqual([])
    expect(world.interruptions).toBe(0)
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test('sends nothing if storage has the whole file', async () => {
    world.store.setStored(world.content)
    await world.upload(undefined, { isResumed: true })
    expect(world.methods()).toEqual(['HEAD'])
    expect(world.progress.at(-1)).toBe(world.content.length)
  })
})
