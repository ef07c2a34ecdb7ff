import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectGrowingDelays } from '../../../../tests/support/retry-delays.ts'
import {
  openWholeFileStore,
  sha256,
  transferErrorOf,
  type WholeFileStore,
} from '../../../../tests/support/whole-file-store.ts'
import { FileUnreadableError } from './hash-blob.ts'
import { maxAttempts, maxWaitMs } from './retry-policy.ts'
import type { StorageResponse } from './storage-request.ts'

let world: WholeFileStore
beforeEach(async () => {
  world = await openWholeFileStore()
})
afterEach(() => world.close())

describe("a transfer that can't succeed", () => {
  test('is given up after a limited number of attempts with increasing waits', async () => {
    world.store.setPutFaults(
      Array.from({ length: 50 }, () => ({ kind: 'response', status: 500 }) as const),
    )
    expect(await transferErrorOf(world.upload())).toEqual({ kind: 'status', status: 500 })
    expect(world.methods().filter((method) => method === 'PUT')).toHaveLength(maxAttempts)
    expect(world.waits).toHaveLength(maxAttempts - 1)
    expectGrowingDelays(world.waits)
  })

  test.each([400, 403, 409, 413])('is not retried after %i', async (status) => {
    world.store.setPutFaults([{ kind: 'response', status }])
    expect(await transferErrorOf(world.upload())).toEqual({
      kind: 'status',
      status,
    })
    expect(world.methods()).toEqual(['PUT'])
  })

  test.each([404, 410])('is gone after %i', async (status) => {
    world.store.setPutFaults([{ kind: 'response', status }])
    expect(await transferErrorOf(world.upload())).toEqual({
      kind: 'gone',
      status,
    })
    expect(world.methods()).toEqual(['PUT'])
  })

  test('is given up if only its own PUT is blocked while the server is up', async () => {
    world.deps.send = () => Promise.resolve({ kind: 'network' })
    expect(await transferErrorOf(world.upload())).toEqual({ kind: 'network', status: null })
    expect(world.waits).toHaveLength(maxAttempts - 1)
    expectGrowingDelays(world.waits)
  })

  test('ends even if client and storage never agree on the offset', async () => {
    const wrongOffsetResponse = {
      kind: 'response',
      status: 416,
      headers: { 'Upload-Offset': '7' },
    } as const
    world.store.setPutFaults(Array.from({ length: 100 }, () => wrongOffsetResponse))
    expect(await transferErrorOf(world.upload())).toEqual({ kind: 'status', status: 416 })
  })

  test('fails with a network error if the server is unreachable', async () => {
    world.store.server.closeAllConnections()
    await new Promise((resolve) => world.store.server.close(resolve))
    expect(await transferErrorOf(world.upload())).toEqual({ kind: 'network', status: null })
    expect(world.waits).toHaveLength(maxAttempts - 1)
  })

  test('fails immediately if the file is unreadable', async () => {
    const unreadableFile = new Blob([world.content])
    unreadableFile.slice = () => unreadableFile
    unreadableFile.arrayBuffer = () => Promise.reject(new Error('NotReadableError'))
    await expect(world.upload(unreadableFile)).rejects.toBeInstanceOf(FileUnreadableError)
    expect(world.waits).toEqual([])
  })

  test('fails as unreadable if the file changes while the rest of it is sent', async () => {
    const changingFile = new Blob([world.content])
    world.store.setPutFaults([{ kind: 'reset', bytesBefore: 1_000_000 }])
    world.deps.wait = async () => {
      changingFile.slice = () => {
        const unreadableFile = new Blob([world.content.subarray(1_000_000)])
        unreadableFile.arrayBuffer = () => Promise.reject(new Error('NotReadableError'))
        return unreadableFile
      }
    }
    const send = world.deps.send
    world.deps.send = (request) =>
      request.headers.Range ? Promise.resolve({ kind: 'network' }) : send(request)
    expect(await transferErrorOf(world.upload(changingFile))).toEqual({
      kind: 'unreadable',
      status: null,
    })
  })
})

describe('a server outage', () => {
  /**
   * Makes the server unreachable until the transfer has waited for `ms` milliseconds in total.
   * Until then, every request gets `response`.
   */
  const stopServer = (ms: number, response: StorageResponse) => {
    const { send, wait } = world.deps
    let remainingMs = ms
    let isReady = false
    world.deps.isServerReady = async () => isReady
    world.deps.wait = async (waitMs, signal) => {
      remainingMs -= waitMs
      isReady = remainingMs <= 0
      await wait(waitMs, signal)
    }
    world.deps.send = (request) => (isReady ? send(request) : Promise.resolve(response))
  }
  const makeStatusResponse = (code: number): StorageResponse => ({
    kind: 'response',
    status: code,
    code: null,
    uploadOffset: null,
    retryAfterMs: null,
  })

  test.each([
    { kind: 'network' } as const,
    { kind: 'stalled' } as const,
    makeStatusResponse(502),
    makeStatusResponse(503),
  ])("of any length doesn't fail the transfer (%o)", async (response) => {
    stopServer(200 * maxWaitMs, response)
    await world.upload()
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
    expect(world.waits.slice(-100)).toEqual(Array(100).fill(maxWaitMs))
    expect(world.interruptions).toBeGreaterThanOrEqual(world.waits.length)
  })

  test("ends with the signal's reason if the transfer is cancelled in the meantime", async () => {
    stopServer(200 * maxWaitMs, { kind: 'network' })
    const reason = new Error('Cancelled by user')
    world.deps.isServerReady = async () => {
      world.cancel.abort(reason)
      return false
    }
    await expect(world.upload()).rejects.toBe(reason)
  })
})

describe('waiting and cancelling', () => {
  test("attempts don't count while the server can't be reached", async () => {
    const send = world.deps.send
    let isReachable = false
    world.deps.isServerReady = async () => isReachable
    world.deps.send = (request) => {
      isReachable = world.waits.length > 5 * maxAttempts
      return isReachable ? send(request) : Promise.resolve({ kind: 'network' })
    }
    await world.upload()
    expect(sha256(world.store.stored())).toBe(sha256(world.content))
  })

  test("cancelling ends a running request with the signal's reason", async () => {
    world.store.setPutFaults([{ kind: 'stall', bytesBefore: 0 }])
    const reason = new Error('Cancelled by user')
    const uploadPromise = world.upload()
    world.store.server.once('request', () => world.cancel.abort(reason))
    await expect(uploadPromise).rejects.toBe(reason)
    expect(world.methods()).toEqual(['PUT'])
  })

  test('cancelling ends a wait', async () => {
    const reason = new Error('Cancelled by user')
    world.store.setPutFaults([{ kind: 'response', status: 503 }])
    world.deps.wait = async (_, signal) => {
      world.cancel.abort(reason)
      signal.throwIfAborted()
    }
    await expect(world.upload()).rejects.toBe(reason)
    expect(world.methods()).toEqual(['PUT'])
  })
})
