import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ChecksumJob, createJobHandler, type WorkerMessage } from './checksum-messages.ts'

const smallBlob = new Blob(['123456789'])
const smallBlobHashes = { crc32: 'cbf43926' }
function makePartJob(blob: Blob): ChecksumJob {
  return { blob, algorithms: ['crc32'] }
}

let messages: WorkerMessage[]
let handle: ReturnType<typeof createJobHandler>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  messages = []
  handle = createJobHandler((message) => messages.push(message))
})
afterEach(() => {
  vi.useRealTimers()
})

test('the worker posts `ready` first', () => {
  expect(messages).toEqual(['ready'])
})

test('each result has the ID of its job', async () => {
  await Promise.all([
    handle({ id: 7, job: makePartJob(smallBlob) }),
    handle({ id: 8, job: { blob: new Blob([]), algorithms: ['sha256'] } }),
  ])
  const results = messages.filter((message) => message !== 'ready')
  expect(results.map(({ id }) => id).sort()).toEqual([7, 8])
  expect(results).toContainEqual({ id: 7, ok: true, value: smallBlobHashes })
})

test.each(['crc32', 'sha256'] as const)(
  'a changed file is reported as unreadable (%s)',
  async (algorithm) => {
    const blob = new Blob(['x'])
    blob.slice = () => blob
    blob.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
    await handle({ id: 1, job: { blob, algorithms: [algorithm] } })
    expect(messages).toContainEqual({ id: 1, ok: false })
  },
)

test("a cancelled job gets no result and doesn't block others, even if its read hangs", async () => {
  const hangingBlob = new Blob(['x'])
  hangingBlob.slice = () => hangingBlob
  hangingBlob.arrayBuffer = () => new Promise<never>(() => undefined)
  void handle({ id: 1, job: makePartJob(hangingBlob) })
  await handle({ id: 1, job: 'cancel' })
  await handle({ id: 2, job: makePartJob(smallBlob) })
  expect(messages).toEqual(['ready', { id: 2, ok: true, value: smallBlobHashes }])
})
