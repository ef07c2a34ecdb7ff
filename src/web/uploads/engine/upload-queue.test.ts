import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { browserTimers } from '../timers.ts'
import { createUploadQueue, type UploadQueue } from './upload-queue.ts'

let started: string[]
let queue: UploadQueue
/** The calls that start an upload and have no answer yet, by the id of the upload. */
let starting: Map<string, Promise<unknown>>

beforeEach(() => {
  vi.useFakeTimers()
  started = []
  starting = new Map()
  queue = createUploadQueue(browserTimers, () => 3)
})
afterEach(() => {
  vi.useRealTimers()
})

function giveSlots(ids: Iterable<string>) {
  for (const id of ids) queue.gotSlot(id)
}
function enqueue(ids: Iterable<string>, dropSize: number, size = 100) {
  for (const id of ids) {
    const run = {
      begin: () => void started.push(id),
      get starting() {
        return starting.get(id) ?? null
      },
    }
    queue.enqueue({ id, size, dropSize, run })
  }
}

test('up to ten files: one after another, with 500 ms between them', () => {
  enqueue('abc', 10)
  expect(started).toEqual(['a'])
  queue.leave('a')
  vi.advanceTimersByTime(499)
  expect(started).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(started).toEqual(['a', 'b'])
})

test('a larger drop: 48 at once and no pause', () => {
  const ids = Array.from({ length: 60 }, (_, index) => `file ${index}`)
  enqueue(ids, 60)
  giveSlots(ids)
  expect(started).toEqual(ids.slice(0, 48))
  queue.leave('file 3')
  expect(started).toEqual(ids.slice(0, 49))
})

test('a larger drop: nobody asks for a slot before the one in front has got its own', () => {
  enqueue('abcd', 11)
  expect(started.join('')).toBe('a')
  queue.gotSlot('a')
  expect(started.join('')).toBe('ab')
  queue.gotSlot('a')
  queue.leave('a')
  expect(started.join('')).toBe('ab')
  // This stands for an upload that was refused or cancelled. The next one may then start.
  queue.leave('b')
  expect(started.join('')).toBe('abc')
  queue.gotSlot('c')
  expect(started.join('')).toBe('abcd')
})

describe('who leaves while the server may still give it a slot', () => {
  const left = (dropSize: number) => {
    enqueue('abc', dropSize)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    starting.set('a', promise)
    queue.leave('a')
    return { resolve, reject }
  }

  test.each(['resolve', 'reject'] as const)(
    'is waited for until that is over (%s)',
    async (end) => {
      const answer = left(11)
      // The record is removed, so `leave` is called once more. This changes nothing.
      queue.leave('a')
      await vi.advanceTimersByTimeAsync(29_999)
      expect(started.join('')).toBe('a')
      answer[end]()
      await vi.advanceTimersByTimeAsync(0)
      expect(started.join('')).toBe('ab')
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('is waited for no longer than 30 s, and its late answer gives nobody a turn', async () => {
    const answer = left(11)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(started.join('')).toBe('ab')
    answer.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(started.join('')).toBe('ab')
  })

  test('is followed after the pause of 500 ms where there is one', async () => {
    left(3).resolve()
    await vi.advanceTimersByTimeAsync(499)
    expect(started.join('')).toBe('a')
    await vi.advanceTimersByTimeAsync(1)
    expect(started.join('')).toBe('ab')
  })
})

test('a larger drop: who has got more slots than any limit leaves is waited for no longer', () => {
  enqueue('abcdefghijkl', 12)
  giveSlots('abc')
  expect(started.join('')).toBe('abcd')
  giveSlots('d')
  expect(started.join('')).toBe('abcdefghijkl')
  // Before the next drop, the user may have got a tier with fewer upload slots. So the uploads of
  // that drop again start one after another.
  for (const id of 'abcdefghijkl') queue.leave(id)
  enqueue('mnop', 11)
  expect(started.join('').slice(-1)).toBe('m')
  giveSlots('m')
  expect(started.join('').slice(-2)).toBe('mn')
})

test('files that have parts do not overlap, in whatever drop', () => {
  enqueue('ab', 11)
  enqueue('c', 11, 9 * 1024 ** 2)
  enqueue('d', 11)
  giveSlots('ab')
  expect(started.join('')).toBe('ab')
  queue.leave('a')
  queue.leave('b')
  giveSlots('c')
  expect(started.join('')).toBe('abc')
  queue.leave('c')
  expect(started.join('')).toBe('abcd')
})

test('a small drop behind a large one waits until that is through', () => {
  enqueue('abc', 11)
  enqueue('d', 1)
  giveSlots('abc')
  expect(started.join('')).toBe('abc')
  for (const id of 'abc') queue.leave(id)
  expect(started.join('')).toBe('abcd')
})

test('who leaves while waiting never starts, and nobody waits twice', () => {
  enqueue('aabc', 3)
  queue.leave('b')
  expect(queue.waiting()).toEqual(['c'])
  queue.leave('a')
  vi.advanceTimersByTime(500)
  expect(started.join('')).toBe('ac')
})

test('after the last one no timer runs', () => {
  enqueue('a', 1)
  queue.leave('a')
  expect(vi.getTimerCount()).toBe(0)
})

test('a thousand files that end as they start do not pile up calls', () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => String(index))
  for (const id of ids) {
    const run = { begin: () => queue.leave(id), starting: null }
    queue.enqueue({ id, size: 1, dropSize: ids.length, run })
  }
  expect(queue.waiting()).toEqual([])
})
