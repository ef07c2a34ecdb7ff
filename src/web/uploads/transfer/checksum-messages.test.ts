import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerJobs, type ChecksumJob, type FromWorker } from './checksum-messages.ts'

/** Makes a file whose read never ends, as if its network share were gone. */
function hanging() {
  const blob = new Blob(['x'])
  const read = vi.fn(() => new Promise<never>(() => undefined))
  blob.slice = () => blob
  blob.arrayBuffer = read
  return { blob, read }
}

const small = new Blob(['123456789'])
const crcOfSmall = 'y/Q5Jg=='
function part(blob: Blob): ChecksumJob {
  return { kind: 'part', blob, checksum: 'crc32' }
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

/** Runs all waiting callbacks without advancing the clock. */
async function settle() {
  for (let turns = 0; turns < 20; turns += 1) await new Promise((done) => setImmediate(done))
}
async function untilRead({ read }: ReturnType<typeof hanging>) {
  while (read.mock.calls.length === 0) await new Promise((done) => setImmediate(done))
}

test('it says first that it runs', () => {
  expect(posted).toEqual(['ready'])
})

test('each job is answered under its id', async () => {
  await Promise.all([
    tell({ id: 7, job: part(small) }),
    tell({ id: 8, job: { kind: 'whole', blob: new Blob([]) } }),
    tell({ id: 9, job: { kind: 'sample', blob: small } }),
  ])
  const answers = posted.filter((message) => message !== 'ready')
  expect(answers.map(({ id }) => id).sort()).toEqual([7, 8, 9])
  expect(answers).toContainEqual({ id: 7, ok: true, value: crcOfSmall })
})

test.each(['part', 'whole', 'sample'] as const)(
  'a file that was changed is told as unreadable (%s)',
  async (kind) => {
    const blob = new Blob(['x'])
    blob.slice = () => blob
    blob.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
    await tell({ id: 1, job: kind === 'part' ? part(blob) : { kind, blob } })
    expect(posted).toContainEqual({ id: 1, ok: false, why: 'unreadable' })
  },
)

describe('parts', () => {
  test('are done one after another: the first part need not wait for those behind it', async () => {
    const large = new Blob([new Uint8Array(9_000_000)])
    await Promise.all([large, small, new Blob([])].map((blob, id) => tell({ id, job: part(blob) })))
    expect(posted.flatMap((message) => (message === 'ready' ? [] : message.id))).toEqual([0, 1, 2])
  })

  test('that are cancelled hold up nobody, even while their read hangs, and are not answered', async () => {
    const hung = hanging()
    void tell({ id: 1, job: part(hung.blob) })
    const behind = tell({ id: 2, job: part(small) })
    await untilRead(hung)
    await tell({ id: 1, job: 'cancel' })
    await behind
    expect(posted).toEqual(['ready', { id: 2, ok: true, value: crcOfSmall }])
  })

  test('that are cancelled while they wait let nobody run beside the one before', async () => {
    const [first, third] = [hanging(), hanging()]
    void tell({ id: 1, job: part(first.blob) })
    void tell({ id: 2, job: part(small) })
    void tell({ id: 3, job: part(third.blob) })
    await untilRead(first)
    await tell({ id: 2, job: 'cancel' })
    await settle()
    expect(third.read).not.toHaveBeenCalled()
    await tell({ id: 1, job: 'cancel' })
    await untilRead(third)
  })

  test('whose read hangs hold up those behind them for 2 s', async () => {
    const [hung, other] = [hanging(), hanging()]
    void tell({ id: 1, job: part(hung.blob) })
    void tell({ id: 2, job: part(other.blob) })
    await untilRead(hung)
    vi.advanceTimersByTime(1999)
    await settle()
    expect(other.read).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    await untilRead(other)
  })

  test('whose read hangs hold up no sample', async () => {
    const hung = hanging()
    void tell({ id: 1, job: part(hung.blob) })
    await untilRead(hung)
    await tell({ id: 2, job: { kind: 'sample', blob: small } })
    expect(posted).toContainEqual({
      id: 2,
      ok: true,
      value: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })
})
