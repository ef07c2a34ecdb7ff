import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { createChecksums, type HashResult, type WorkerLike } from './checksums.ts'
import { FileUnreadableError, hashBlob } from './hash-blob.ts'

const neverAborted = new AbortController().signal
const content = randomBytes(9_000_001)
const file = new Blob([content])
function crc32Base64(bytes: Uint8Array) {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(crc32(bytes))
  return value.toString('base64')
}

/** Creates a file that is unreadable, as if it had changed since it was chosen. */
function makeChangedFile(size = 10): Blob {
  const blob = new Blob([new Uint8Array(size)])
  blob.arrayBuffer = () => Promise.reject(new DOMException('changed', 'NotReadableError'))
  blob.slice = () => blob
  return blob
}

let startedWorkers: { terminated: boolean; worker: WorkerLike }[]

/** Creates a worker in this thread. Like a real one, it responds to each message asynchronously. */
function startWorker(): WorkerLike {
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    terminate: () => {
      entry.terminated = true
    },
    postMessage: async ({ id, blob, algorithms }) => {
      const hashes = await hashBlob(blob, algorithms).catch(() => 'unreadable' as const)
      const data: HashResult = { id, hashes }
      if (!entry.terminated) worker.onmessage?.(new MessageEvent('message', { data }))
    },
  }
  const entry = { terminated: false, worker }
  startedWorkers.push(entry)
  return worker
}

beforeEach(() => {
  startedWorkers = []
})

describe('a job', () => {
  test('gets its own result', async () => {
    const { part, file: checksumsOf } = createChecksums(startWorker)
    const [one, other, all] = await Promise.all([
      part(file, 'crc32', neverAborted),
      part(new Blob(['c']), 'crc32', neverAborted),
      checksumsOf(file, neverAborted),
    ])
    expect([one, other]).toEqual([crc32Base64(content), crc32Base64(Buffer.from('c'))])
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect(all).toEqual({ sha256, crc32: crc32(content) })
    expect(startedWorkers).toHaveLength(1)
  })

  test('is cancelled by its signal', async () => {
    const controller = new AbortController()
    const checksumPromise = createChecksums(startWorker).file(file, controller.signal)
    const reason = new Error('Cancelled by user')
    controller.abort(reason)
    await expect(checksumPromise).rejects.toBe(reason)
  })
})

describe('a changed or removed file', () => {
  test('makes every job reject as unreadable', async () => {
    const { part, file: hashWholeFile } = createChecksums(startWorker)
    await expect(part(makeChangedFile(), 'crc32', neverAborted)).rejects.toBeInstanceOf(
      FileUnreadableError,
    )
    await expect(hashWholeFile(makeChangedFile(), neverAborted)).rejects.toBeInstanceOf(
      FileUnreadableError,
    )
  })
})

describe('without a worker', () => {
  test('a job gets no checksum when the worker crashes, and the next job starts a new one', async () => {
    const checksums = createChecksums(startWorker)
    const firstPromise = checksums.part(file, 'crc32', neverAborted)
    startedWorkers[0]?.worker.onerror?.(new Event('error') as ErrorEvent)
    expect(await firstPromise).toBeNull()
    expect(startedWorkers[0]?.terminated).toBe(true)
    expect(await checksums.part(file, 'crc32', neverAborted)).toBe(crc32Base64(content))
  })
})

describe('no worker is started', () => {
  test('without a job', () => {
    createChecksums(startWorker)
    expect(startedWorkers).toEqual([])
  })

  test('for a job that was cancelled beforehand', async () => {
    const reason = new Error('over')
    const { part } = createChecksums(startWorker)
    await expect(part(file, 'crc32', AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(startedWorkers).toEqual([])
  })
})
