import { afterEach, expect, test, vi } from 'vitest'
import type { WorkerMessage, WorkerRequest } from './checksum-messages.ts'

afterEach(() => vi.unstubAllGlobals())

test('the worker posts `ready`, and responds to each job with a checksum', async () => {
  const postedMessages: WorkerMessage[] = []
  const worker = Object.assign(new EventTarget(), {
    postMessage: (message: WorkerMessage) => void postedMessages.push(message),
  })
  vi.stubGlobal('self', worker)
  vi.resetModules()
  await import('./checksum-worker.ts')
  expect(postedMessages).toEqual(['ready'])

  const job = { blob: new Blob(['123456789']), algorithms: ['crc32'] } as const
  const message: WorkerRequest = { id: 7, job }
  worker.dispatchEvent(new MessageEvent('message', { data: message }))
  await expect
    .poll(() => postedMessages)
    .toEqual(['ready', { id: 7, ok: true, value: { crc32: 'cbf43926' } }])
})
