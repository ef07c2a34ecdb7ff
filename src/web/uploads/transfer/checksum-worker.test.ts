import { afterEach, expect, test, vi } from 'vitest'
import type { HashRequest, HashResult } from './checksums.ts'

afterEach(() => vi.unstubAllGlobals())

test('the worker responds to each request with the hashes', async () => {
  const postedMessages: HashResult[] = []
  const worker = Object.assign(new EventTarget(), {
    postMessage: (message: HashResult) => void postedMessages.push(message),
  })
  vi.stubGlobal('self', worker)
  vi.resetModules()
  await import('./checksum-worker.ts')

  const blob = new Blob(['123456789'])
  const data: HashRequest = { id: 7, blob, algorithms: ['crc32'] }
  worker.dispatchEvent(new MessageEvent('message', { data }))
  await expect.poll(() => postedMessages).toEqual([{ id: 7, hashes: { crc32: 'cbf43926' } }])
})
