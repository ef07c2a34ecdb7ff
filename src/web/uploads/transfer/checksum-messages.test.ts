import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerJobs, type ChecksumJob, type FromWorker } from './checksum-messages.ts'

const small = new Blob(['123456789'])
const crcOfSmall = 'y/Q5Jg=='
function part(blob: Blob): ChecksumJob {
  return { blob, algorithm: 'crc32' }
}

let posted: FromWorker[]
let tell: ReturnType<typeof answerJobs>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  posted = []
  tell = answerJobs((message) => posted.push(message))
})
afterEach(() => {
  vi.useRealTimers()
})

test('the worker posts `ready` first', () => {
  expect(posted).toEqual(['ready'])
})

test('each job is answered with its ID', async () => {
  await Promise.all([
    tell({ id: 7, job: part(small) }),
    tell({ id: 8, job: { blob: new Blob([]), algorithm: 'sha256' } }),
  ])
  const answers = posted.filter((message) => message !== 'ready')
  expect(answers.map(({ id }) => id).sort()).toEqual([7, 8])
  expect(answers).toContainEqual({ id: 7, ok: true, value: crcOfSmall })
})

test.each(['crc32', 'sha256'] as const)(
  'a changed file is reported as unreadable (%s)',
  async (algorithm) => {
    const blob = new Blob(['x'])
    blob.slice = () => blob
    blob.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
    await tell({ id: 1, job: { blob, algorithm } })
    expect(posted).toContainEqual({ id: 1, ok: false })
  },
)

test("a cancelled job gets no answer and doesn't block others, even if its read hangs", async () => {
  const hung = new Blob(['x'])
  hung.slice = () => hung
  hung.arrayBuffer = () => new Promise<never>(() => undefined)
  void tell({ id: 1, job: part(hung) })
  await tell({ id: 1, job: 'cancel' })
  await tell({ id: 2, job: part(small) })
  expect(posted).toEqual(['ready', { id: 2, ok: true, value: crcOfSmall }])
})
