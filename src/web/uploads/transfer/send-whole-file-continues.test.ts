import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  openWholeFileStore,
  sha,
  type WholeFileStore,
} from '../../../../tests/support/whole-file-store.ts'
import { firstWaitMs, longestAskedMs, uploadLimit } from './retry-policy.ts'

let world: WholeFileStore
beforeEach(async () => {
  world = await openWholeFileStore()
})
afterEach(() => world.close())

describe('a transfer that is interrupted', () => {
  test('continues after a wait from the bytes already sent, using a range header', async () => {
    world.store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await world.upload()
    expect(world.waits).toEqual([firstWaitMs])
    expect(world.interruptions).toBe(1)
    expect(world.methods()).toEqual(['PUT', 'HEAD', 'PUT'])
    expect(world.store.seen[2]?.range).toBe('bytes=1000000-')
    expect(sha(world.store.stored())).toBe(sha(world.content))
    expect(world.progress).toContain(1_000_000)
  })

  test('on a time-out, the transfer is retried from the bytes already sent', async () => {
    world.store.misbehave([{ kind: 'stall', after: 2_000_000 }])
    await world.upload()
    expect(world.store.seen[2]?.range).toBe('bytes=2000000-')
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('sends nothing again when only the answer was lost', async () => {
    world.store.misbehave([{ kind: 'silent success' }])
    await world.upload()
    expect(world.methods()).toEqual(['PUT', 'HEAD'])
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('sends an empty file again when the answer was lost', async () => {
    world.store.misbehave([{ kind: 'silent success' }])
    await world.upload(new Blob([]))
    expect(world.methods()).toEqual(['PUT', 'HEAD', 'PUT'])
  })

  test.each([408, 429, 500, 502, 503, 504, 507])('tries again after %i', async (status) => {
    world.store.misbehave([{ kind: 'answer', status }])
    await world.upload()
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('waits as long as Retry-After asks, within reason', async () => {
    world.store.misbehave([
      { kind: 'answer', status: 503, headers: { 'Retry-After': '20' } },
      { kind: 'answer', status: 503, headers: { 'Retry-After': '86400' } },
    ])
    await world.upload()
    expect(world.waits).toEqual([20_000, longestAskedMs])
  })

  test('416 carries the right offset: the next PUT starts there at once', async () => {
    // Makes storage lose bytes between the HEAD that asks for the offset and the PUT that follows.
    const send = world.deps.send
    world.deps.send = async (request) => {
      const answer = await send(request)
      if (request.method === 'HEAD') world.store.keep(world.content.subarray(0, 200))
      return answer
    }
    world.store.misbehave([{ kind: 'reset', after: 700 }])
    await world.upload()
    expect(world.store.seen.map(({ method, range }) => [method, range])).toEqual([
      ['PUT', undefined],
      ['HEAD', undefined],
      ['PUT', 'bytes=700-'],
      ['PUT', 'bytes=200-'],
    ])
    expect(world.waits).toEqual([firstWaitMs])
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('a store that tells no offset gets the whole file again, never a tail', async () => {
    world.store.forgetOffsets()
    world.store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await world.upload()
    expect(world.store.seen[2]?.range).toBeUndefined()
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('a store that refuses HEAD gets the whole file again', async () => {
    world.store.answerHeads([{ status: 403 }])
    world.store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await world.upload()
    expect(world.store.seen[2]?.range).toBeUndefined()
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('a busy server is asked again after Retry-After, however often, and nothing is lost', async () => {
    const busy = { status: 503, headers: { 'Retry-After': '40' } }
    const times = 2 * uploadLimit.maxTries
    world.store.answerHeads(Array.from({ length: times }, () => busy))
    world.store.misbehave([{ kind: 'reset', after: 1_000_000 }])
    await world.upload()
    const asked = Array.from({ length: times + 1 }, () => 'HEAD')
    expect(world.methods()).toEqual(['PUT', ...asked, 'PUT'])
    expect(world.waits).toEqual([firstWaitMs, ...Array.from({ length: times }, () => 40_000)])
    expect(world.store.seen.at(-1)?.range).toBe('bytes=1000000-')
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('any number of interruptions is fine while each stores something new', async () => {
    const cuts = 3 * uploadLimit.maxTries
    world.store.misbehave(
      Array.from({ length: cuts }, () => ({ kind: 'reset', after: 1000 }) as const),
    )
    await world.upload()
    expect(new Set(world.waits)).toEqual(new Set([firstWaitMs]))
    expect(world.methods().filter((method) => method === 'PUT')).toHaveLength(cuts + 1)
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })
})

describe('a body of which nothing leaves any more', () => {
  test('is given more time each time, and begins anew once something is stored', async () => {
    const patience: (number | undefined)[] = []
    const send = world.deps.send
    world.deps.send = (request) => {
      if (request.method === 'HEAD') return send(request)
      patience.push(request.stallMs)
      if (patience.length === 2) world.store.keep(world.content.subarray(0, 1000))
      return patience.length < 4 ? Promise.resolve({ kind: 'stalled' }) : send(request)
    }
    await world.upload()
    expect(patience.map((ms) => (ms ?? 0) / 1000)).toEqual([30, 60, 30, 60])
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })
})

test('a store that has more than the file gets the whole file again', async () => {
  world.store.keep(Buffer.concat([world.content, Buffer.from('more')]))
  await world.upload(undefined, { resumed: true })
  expect(world.store.seen[1]?.range).toBeUndefined()
  expect(sha(world.store.stored())).toBe(sha(world.content))
})

describe('a transfer that goes on from an earlier try', () => {
  test('asks first, and sends only what is missing', async () => {
    world.store.keep(world.content.subarray(0, 1_500_000))
    await world.upload(undefined, { resumed: true })
    expect(world.store.seen.map(({ method, range }) => [method, range])).toEqual([
      ['HEAD', undefined],
      ['PUT', 'bytes=1500000-'],
    ])
    expect(world.waits).toEqual([])
    expect(world.interruptions).toBe(0)
    expect(sha(world.store.stored())).toBe(sha(world.content))
  })

  test('sends nothing when all of it is there', async () => {
    world.store.keep(world.content)
    await world.upload(undefined, { resumed: true })
    expect(world.methods()).toEqual(['HEAD'])
    expect(world.progress.at(-1)).toBe(world.content.length)
  })
})
