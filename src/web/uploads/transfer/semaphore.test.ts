import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

const { signal: never } = new AbortController()

function makeWork() {
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const work = (name: string) => () => {
    started.push(name)
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return end.promise
  }
  return { started, work, ends }
}

test('createSemaphore(2) runs two tasks at once and the rest in order, even after a failure', async () => {
  const inTurn = createSemaphore(2)
  const { started, work, ends } = makeWork()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => inTurn(never, work(name)))
  await Promise.resolve()
  expect(started).toEqual(['a', 'b'])
  ends.get('b')?.reject(new Error('b failed'))
  await expect(b).rejects.toThrow('b failed')
  expect(started).toEqual(['a', 'b', 'c'])
  ends.get('a')?.resolve()
  await a
  await Promise.resolve()
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  for (const { resolve } of ends.values()) resolve()
  await Promise.all([c, d])
})

test('a task aborted while waiting is skipped, and the next one runs', async () => {
  const inTurn = createSemaphore(1)
  const { started, work, ends } = makeWork()
  const given = new AbortController()
  const a = inTurn(never, work('a'))
  const b = inTurn(given.signal, work('b'))
  const c = inTurn(never, work('c'))
  given.abort(new Error('given up'))
  ends.get('a')?.resolve()
  await a
  await expect(b).rejects.toThrow('given up')
  await Promise.resolve()
  expect(started).toEqual(['a', 'c'])
  ends.get('c')?.resolve()
  await c
})
