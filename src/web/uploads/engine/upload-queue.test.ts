import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { browserTimers } from '../timers.ts'
import { UploadQueue } from './upload-queue.ts'

let started: string[]
let queue: UploadQueue
let ends: Map<string, () => void>

beforeEach(() => {
  vi.useFakeTimers()
  started = []
  ends = new Map()
  queue = new UploadQueue(browserTimers)
})
afterEach(() => {
  vi.useRealTimers()
})

function add(ids: Iterable<string>, dropSize: number, size = 100) {
  for (const id of ids) {
    const run = () => {
      started.push(id)
      return new Promise<void>((resolve) => ends.set(id, resolve))
    }
    queue.add({ id, size, dropSize, run })
  }
}
async function end(ids: Iterable<string>) {
  for (const id of ids) ends.get(id)?.()
  await vi.advanceTimersByTimeAsync(0)
}

test('up to ten files: one after another, with 500 ms between them', async () => {
  add('abc', 10)
  expect(started).toEqual(['a'])
  await end('a')
  await vi.advanceTimersByTimeAsync(499)
  expect(started).toEqual(['a'])
  await vi.advanceTimersByTimeAsync(1)
  expect(started).toEqual(['a', 'b'])
})

test('a larger drop: 48 at once and no pause', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `file ${index}`)
  add(ids, 60)
  expect(started).toEqual(ids.slice(0, 48))
  await end(['file 3'])
  expect(started).toEqual(ids.slice(0, 49))
})

test('files that have parts do not overlap, in whatever drop', async () => {
  add('ab', 11)
  add('c', 11, 9 * 1024 ** 2)
  add('d', 11)
  expect(started.join('')).toBe('ab')
  await end('ab')
  expect(started.join('')).toBe('abc')
  await end('c')
  expect(started.join('')).toBe('abcd')
})

test('a small drop behind a large one waits until that is through', async () => {
  add('abc', 11)
  add('d', 1)
  expect(started.join('')).toBe('abc')
  await end('abc')
  expect(started.join('')).toBe('abcd')
})

test('what is removed while it waits never starts', async () => {
  add('abc', 3)
  queue.remove('b')
  expect(queue.waiting()).toEqual(['c'])
  await end('a')
  await vi.advanceTimersByTimeAsync(500)
  expect(started.join('')).toBe('ac')
})
