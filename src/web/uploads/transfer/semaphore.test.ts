import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

const { signal: neverAborted } = new AbortController()

function trackTasks() {
  const started: string[] = []
  const tasks = new Map<string, PromiseWithResolvers<void>>()
  const startTask = (name: string) => () => {
    started.push(name)
    const taskGate = Promise.withResolvers<void>()
    tasks.set(name, taskGate)
    return taskGate.promise
  }
  return { started, startTask, tasks }
}

test('createSemaphore(2) runs two tasks at once and the others in order, even after a failure', async () => {
  const runInTurn = createSemaphore(2)
  const { started, startTask, tasks } = trackTasks()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => runInTurn(neverAborted, startTask(name)))
  await Promise.resolve()
  expect(started).toEqual(['a', 'b'])
  tasks.get('b')?.reject(new Error('b failed'))
  await expect(b).rejects.toThrow('b failed')
  expect(started).toEqual(['a', 'b', 'c'])
  tasks.get('a')?.resolve()
  await a
  await Promise.resolve()
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  for (const { resolve } of tasks.values()) resolve()
  await Promise.all([c, d])
})

test('a task aborted while waiting is skipped, and the next one runs', async () => {
  const runInTurn = createSemaphore(1)
  const { started, startTask, tasks } = trackTasks()
  const controller = new AbortController()
  const a = runInTurn(neverAborted, startTask('a'))
  const b = runInTurn(controller.signal, startTask('b'))
  const c = runInTurn(neverAborted, startTask('c'))
  controller.abort(new Error('given up'))
  tasks.get('a')?.resolve()
  await a
  await expect(b).rejects.toThrow('given up')
  await Promise.resolve()
  expect(started).toEqual(['a', 'c'])
  tasks.get('c')?.resolve()
  await c
})
