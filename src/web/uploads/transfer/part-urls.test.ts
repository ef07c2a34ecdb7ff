import { expect, test } from 'vitest'
import { firstPartsSigned, partUrlLifetimeMs } from '../../../shared/rules/files/part-plan.ts'
import { limitFor } from './concurrency.ts'
import { createPartUrls } from './part-urls.ts'

const minute = 60_000
function from1To(count: number) {
  return Array.from({ length: count }, (_, at) => at + 1)
}

/**
 * Creates the URLs of parts 1 to 100. The first `signed` of them are signed from the start. The
 * parts in `taken` need no URL any more.
 */
function start(signed = 0) {
  const calls: number[][] = []
  const taken = new Set<number>()
  const failing = { now: false }
  const clock = { now: 0 }
  const urls = createPartUrls(new Map(from1To(signed).map((n) => [n, `${n} of the start`])), {
    sign: async (partNumbers) => {
      calls.push([...partNumbers])
      if (failing.now) throw new Error('away')
      const call = calls.length
      return new Map(partNumbers.map((n) => [n, `${n} of call ${call}`]))
    },
    upcoming: () => from1To(100).filter((n) => !taken.has(n)),
    now: () => clock.now,
  })
  const get = (partNumber: number) => {
    taken.add(partNumber)
    return urls.get(partNumber)
  }
  return { calls, clock, failing, urls, get }
}

test('several parts at once are served by one call', async () => {
  const { get, calls } = start()
  const all = await Promise.all([1, 2, 3, 4].map(get))
  expect(all).toEqual([1, 2, 3, 4].map((n) => `${n} of call 1`))
  expect(calls).toHaveLength(1)
})

test('the next batch is asked for before the last one is used up', async () => {
  const { get, calls } = start()
  for (let n = 1; n <= 9; n += 1) await get(n)
  expect(calls).toHaveLength(1)
  await get(10)
  expect(calls).toHaveLength(2)
  expect(calls[1]?.[0]).toBe(18)
  expect(await get(18)).toBe('18 of call 2')
  expect(calls).toHaveLength(2)
})

test('what failed ahead of need is signed when it is needed', async () => {
  const { get, calls, failing } = start()
  for (let n = 1; n <= 9; n += 1) await get(n)
  failing.now = true
  await get(10)
  await new Promise(setImmediate)
  failing.now = false
  expect(await get(18)).toBe('18 of call 3')
  expect(calls).toHaveLength(3)
})

test('a failed call rejects for those that wait for it, and the next one signs anew', async () => {
  const { get, failing } = start()
  failing.now = true
  const both = await Promise.allSettled([get(1), get(2)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  failing.now = false
  expect(await get(2)).toBe('2 of call 2')
})

test('a part that is forgotten gets a fresh URL, others keep theirs', async () => {
  const { get, urls } = start()
  await get(1)
  urls.forget(1)
  expect(await get(1)).toBe('1 of call 2')
  expect(await get(2)).toBe('2 of call 1')
})

test('one that is refused takes those with it that are as old, not the fresh ones', async () => {
  const { get, urls } = start()
  await get(1)
  urls.forget(2)
  expect(await get(2)).toBe('2 of call 2')
  urls.refused(1)
  expect(await get(3)).toBe('3 of call 3')
  expect(await get(2)).toBe('2 of call 2')
})

test('the first parts begin with what came with the start, and ask for more as they go on', async () => {
  const { get, calls } = start(firstPartsSigned)
  const parts = limitFor([])
  const first = from1To(firstPartsSigned).map((n) => `${n} of the start`)
  expect(await Promise.all(from1To(parts).map(get))).toEqual(first.slice(0, parts))
  expect(calls).toEqual([])
  expect(await get(parts + 1)).toBe(`${parts + 1} of the start`)
  expect(calls.map(([next]) => next)).toEqual([firstPartsSigned + 1])
})

test('what came with the start and is refused is signed anew', async () => {
  const { get, urls } = start(firstPartsSigned)
  await get(1)
  urls.refused(1)
  expect(await get(1)).toBe('1 of call 1')
  expect(await get(2)).toBe('2 of call 1')
})

test.each([0, firstPartsSigned])(
  'none is used that has nearly run out (%i of the start)',
  async (n) => {
    const { get, calls, clock } = start(n)
    const before = await get(1)
    clock.now = partUrlLifetimeMs - 2 * minute
    expect(await get(1)).toBe(before)
    const signed = calls.length
    clock.now = partUrlLifetimeMs - minute
    expect(await get(2)).toBe(`2 of call ${signed + 1}`)
    expect(await get(3)).toBe(`3 of call ${signed + 1}`)
  },
)
