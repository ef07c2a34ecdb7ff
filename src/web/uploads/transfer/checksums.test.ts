import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answerJobs, type FromWorker, type ToWorker } from './checksum-messages.ts'
import { createChecksums, type WorkerLike } from './checksums.ts'
import { FileUnreadable } from './hash-blob.ts'

const never = new AbortController().signal
const content = randomBytes(9_000_001)
const file = new Blob([content])
const sha256 = (...bytes: (Uint8Array | string)[]) => {
  const hash = createHash('sha256')
  for (const some of bytes) hash.update(some)
  return hash.digest('hex')
}
const crc = (bytes: Uint8Array) => {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(crc32(bytes))
  return value.toString('base64')
}

/** A file that is read as one is that was changed since it was chosen. */
const changed = (size = 10): Blob => {
  const blob = new Blob([new Uint8Array(size)])
  blob.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
  blob.slice = () => blob
  return blob
}

let started: { terminated: boolean; worker: WorkerLike; seen: ToWorker[] }[]

/** A worker that answers as the real one does, in this thread, each message in a later turn. */
const startWorker = (): WorkerLike => {
  const seen: ToWorker[] = []
  const entry = { terminated: false, seen, worker: {} as WorkerLike }
  let answer: ReturnType<typeof answerJobs>
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    onmessageerror: null,
    terminate: () => {
      entry.terminated = true
    },
    postMessage: (message) => {
      seen.push(message)
      queueMicrotask(() => void answer(message))
    },
  }
  entry.worker = worker
  queueMicrotask(() => {
    answer = answerJobs((data) => {
      if (!entry.terminated) worker.onmessage?.(new MessageEvent('message', { data }))
    })
  })
  started.push(entry)
  return worker
}

/** A worker whose script never arrives. */
const startSilent = (): WorkerLike => ({
  ...startWorker(),
  onmessage: null,
  postMessage: () => undefined,
})

beforeEach(() => {
  started = []
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the checksum of a part', () => {
  test.each([
    { checksum: 'crc32' as const, expected: crc(content) },
    { checksum: 'md5' as const, expected: createHash('md5').update(content).digest('base64') },
  ])('$checksum in base64', async ({ checksum, expected }) => {
    expect(await createChecksums(startWorker).part(file, checksum, never)).toBe(expected)
  })

  test('CRC-32 is big-endian, as the check value of the standard says', async () => {
    const { part } = createChecksums(startWorker)
    const checksum = await part(new Blob(['123456789']), 'crc32', never)
    expect(Buffer.from(checksum ?? '', 'base64').toString('hex')).toBe('cbf43926')
  })

  test('several at once each get their own', async () => {
    const { part } = createChecksums(startWorker)
    const slices = [0, 1, 2, 3, 4].map((n) => content.subarray(n * 1000, n * 1000 + 777))
    const all = await Promise.all(slices.map((bytes) => part(new Blob([bytes]), 'crc32', never)))
    expect(all).toEqual(slices.map(crc))
    expect(started).toHaveLength(1)
  })
})

/** A file whose read begins and never ends, as one on a network share that is gone. */
const hanging = () => {
  const blob = new Blob(['x'])
  const read = vi.fn(() => new Promise<never>(() => undefined))
  blob.slice = () => blob
  blob.arrayBuffer = read
  return { blob, read }
}

describe('the parts of one worker', () => {
  /** Lets what is set off run, while time stands still. */
  const settle = () => new Promise((done) => setImmediate(done))
  const untilRead = async ({ read }: ReturnType<typeof hanging>) => {
    while (read.mock.calls.length === 0) await settle()
  }
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })

  test('are done one after another: the first part need not wait for those behind it', async () => {
    const order: string[] = []
    const { part } = createChecksums(startWorker)
    const noted = (name: string, bytes: number) =>
      part(file.slice(0, bytes), 'crc32', never).then(() => order.push(name))
    await Promise.all([noted('large', 9_000_000), noted('small', 1), noted('smaller', 0)])
    expect(order).toEqual(['large', 'small', 'smaller'])
  })

  test('a cancelled one holds up nobody, even while its read hangs', async () => {
    const { part } = createChecksums(startWorker)
    const cancel = new AbortController()
    const hung = part(hanging().blob, 'crc32', cancel.signal)
    const behind = part(file, 'crc32', never)
    cancel.abort(new Error('cancelled'))
    await expect(hung).rejects.toThrow('cancelled')
    expect(await behind).toBe(crc(content))
  })

  test('one that is cancelled while it waits lets nobody run beside the one before', async () => {
    const { part } = createChecksums(startWorker)
    const [first, third] = [hanging(), hanging()]
    const [cancelFirst, cancelSecond] = [new AbortController(), new AbortController()]
    const one = part(first.blob, 'crc32', cancelFirst.signal)
    const two = part(file, 'crc32', cancelSecond.signal)
    void part(third.blob, 'crc32', never)
    await untilRead(first)
    cancelSecond.abort(new Error('cancelled'))
    await expect(two).rejects.toThrow('cancelled')
    for (let turns = 0; turns < 20; turns += 1) await settle()
    expect(third.read).not.toHaveBeenCalled()
    cancelFirst.abort(new Error('cancelled'))
    await expect(one).rejects.toThrow('cancelled')
    await untilRead(third)
  })

  test('one whose read hangs holds up those behind it for 2 s', async () => {
    const { part } = createChecksums(startWorker)
    const [hung, other] = [hanging(), hanging()]
    void part(hung.blob, 'crc32', never)
    void part(other.blob, 'crc32', never)
    await untilRead(hung)
    vi.advanceTimersByTime(1999)
    for (let turns = 0; turns < 20; turns += 1) await settle()
    expect(other.read).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    await untilRead(other)
  })

  test('and one whose read hangs holds up no sample', async () => {
    const { part, sample } = createChecksums(startWorker)
    const hung = hanging()
    void part(hung.blob, 'crc32', never)
    await untilRead(hung)
    expect(await sample(new Blob([]), never)).toBe(sha256('0\n'))
  })
})

describe('the SHA-256 of a whole file', () => {
  test('over many slices', async () => {
    expect(await createChecksums(startWorker).sha256(file, never)).toBe(sha256(content))
  })

  test('of an empty file', async () => {
    expect(await createChecksums(startWorker).sha256(new Blob([]), never)).toBe(sha256(''))
  })

  test('is reckoned by a worker of its own, so that no part waits for it', async () => {
    const checksums = createChecksums(startWorker)
    await Promise.all([checksums.sha256(file, never), checksums.part(file, 'crc32', never)])
    expect(started).toHaveLength(2)
  })

  test('is ended by its signal, and the worker told', async () => {
    const cancel = new AbortController()
    const answer = createChecksums(startWorker).sha256(file, cancel.signal)
    const reason = new Error('Cancelled by user')
    cancel.abort(reason)
    await expect(answer).rejects.toBe(reason)
    expect(started[0]?.seen.map(({ job }) => (job === 'cancel' ? job : job.kind))).toEqual([
      'whole',
      'cancel',
    ])
  })
})

describe('the sample that a file is recognised by', () => {
  test('is made of its size and its first, middle and last 64 KiB', async () => {
    const middle = Math.floor((content.length - 65_536) / 2)
    const expected = sha256(
      `${content.length}\n`,
      content.subarray(0, 65_536),
      content.subarray(middle, middle + 65_536),
      content.subarray(content.length - 65_536),
    )
    expect(await createChecksums(startWorker).sample(file, never)).toBe(expected)
  })

  test('differs for another size, and for a changed byte in a small file', async () => {
    const { sample } = createChecksums(startWorker)
    const samples = await Promise.all(
      ['', 'a', 'aa', 'ab'].map((text) => sample(new Blob([text]), never)),
    )
    expect(new Set(samples).size).toBe(4)
  })
})

describe('a file that was changed or removed', () => {
  test('every job says so', async () => {
    const { part, sha256: whole, sample } = createChecksums(startWorker)
    await expect(part(changed(), 'crc32', never)).rejects.toBeInstanceOf(FileUnreadable)
    await expect(whole(changed(), never)).rejects.toBeInstanceOf(FileUnreadable)
    await expect(sample(changed(), never)).rejects.toBeInstanceOf(FileUnreadable)
  })
})

describe('a worker that cannot be had', () => {
  test('there are no checksums then', async () => {
    const checksums = createChecksums(() => {
      throw new Error('no workers here')
    })
    expect(await checksums.part(file, 'crc32', never)).toBeNull()
    expect(await checksums.sha256(file, never)).toBeNull()
    expect(await checksums.sample(file, never)).toBeNull()
  })

  test('the same when it dies, and the next job starts a new one', async () => {
    const checksums = createChecksums(startWorker)
    const first = checksums.part(file, 'crc32', never)
    started[0]?.worker.onerror?.(new Event('error') as ErrorEvent)
    expect(await first).toBeNull()
    expect(started[0]?.terminated).toBe(true)
    expect(await checksums.part(file, 'crc32', never)).toBe(crc(content))
  })

  test('the same when its script does not come within 15 s', async () => {
    vi.useFakeTimers()
    const answer = createChecksums(startSilent).part(file, 'crc32', never)
    vi.advanceTimersByTime(15_000)
    expect(await answer).toBeNull()
  })
})

describe('a worker without work', () => {
  test('is ended after 30 s, and started again for the next job', async () => {
    vi.useFakeTimers()
    const { part } = createChecksums(startWorker)
    await part(new Blob(['a']), 'crc32', never)
    vi.advanceTimersByTime(29_999)
    await part(new Blob(['b']), 'crc32', never)
    vi.advanceTimersByTime(29_999)
    expect(started.map(({ terminated }) => terminated)).toEqual([false])
    vi.advanceTimersByTime(1)
    expect(started.map(({ terminated }) => terminated)).toEqual([true])
    expect(await part(new Blob(['c']), 'crc32', never)).toBe(crc(Buffer.from('c')))
    expect(started).toHaveLength(2)
  })

  test('that answers a job after its cancel is ended once, and never in the middle of the next', async () => {
    vi.useFakeTimers()
    const worker = startSilent()
    const { part } = createChecksums(() => worker)
    const say = (data: FromWorker) => worker.onmessage?.(new MessageEvent('message', { data }))
    const answer = (id: number) => say({ id, ok: true, value: `of ${id}` })
    const cancel = new AbortController()
    const first = part(new Blob(['a']), 'crc32', cancel.signal)
    say('ready')
    cancel.abort(new Error('Cancelled by user'))
    await expect(first).rejects.toThrow('Cancelled by user')
    answer(1)
    const second = part(new Blob(['b']), 'crc32', never)
    vi.advanceTimersByTime(30_000)
    answer(2)
    expect(await second).toBe('of 2')
  })

  test('is never started where nothing is asked', () => {
    createChecksums(startWorker)
    expect(started).toEqual([])
  })

  test('a job that was cancelled before it began starts none', async () => {
    const reason = new Error('over')
    const { part } = createChecksums(startWorker)
    await expect(part(file, 'crc32', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(started).toEqual([])
  })
})
