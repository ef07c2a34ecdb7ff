import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import { planParts } from '../../../shared/rules/files/part-plan.ts'
import { browserTimers } from '../timers.ts'
import { wait } from './connection.ts'
import { maxConnections, sendParts } from './send-parts.ts'
import type { Send, StorageRequest, StorageResponse } from './storage-request.ts'

const mebibyte = 1024 ** 2
const partSize = 8 * mebibyte
const tickMs = 500
const storedResponse: StorageResponse = {
  kind: 'response',
  status: 200,
  code: null,
  uploadOffset: null,
  retryAfterMs: null,
}

interface RunningRequest {
  request: StorageRequest
  size: number
  carried: number
  end: (response: StorageResponse) => void
}

/**
 * Simulates a connection with its bandwidth shared equally by all running requests. The operating
 * system buffers `buffer` bytes of each request before sending them, and the browser reports these
 * as sent.
 */
function openConnection(bytesPerSecond: number, buffer: number) {
  const running = new Set<RunningRequest>()
  const connection = {
    bytesPerSecond,
    /** Bytes sent by all requests, including wasted ones. */
    carried: 0,
    starts: [] as number[],
    ends: [] as ('stored' | 'given up' | 'timeout')[],
    /** The number of requests running each time a request started. */
    atOnce: [] as number[],
  }
  const tick = () => {
    const bytesPerRequest = Math.floor((connection.bytesPerSecond * tickMs) / 1000 / running.size)
    for (const runningRequest of [...running]) {
      const bytes = Math.min(bytesPerRequest, runningRequest.size - runningRequest.carried)
      runningRequest.carried += bytes
      connection.carried += bytes
      runningRequest.request.onSent?.(
        Math.min(runningRequest.size, runningRequest.carried + buffer),
      )
      if (runningRequest.carried < runningRequest.size) continue
      connection.ends.push('stored')
      runningRequest.end(storedResponse)
    }
  }
  const ticker = setInterval(tick, tickMs)
  const send: Send = (request) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        connection.ends.push('timeout')
        runningRequest.end({ kind: 'timeout' })
      }, request.timeoutMs)
      const remove = () => {
        clearTimeout(timer)
        running.delete(runningRequest)
      }
      const end = (response: StorageResponse) => {
        remove()
        resolve(response)
      }
      const runningRequest: RunningRequest = {
        request,
        size: request.body?.size ?? 0,
        carried: 0,
        end,
      }
      request.signal.addEventListener('abort', () => {
        if (!running.has(runningRequest)) return
        connection.ends.push('given up')
        remove()
        reject(request.signal.reason)
      })
      running.add(runningRequest)
      connection.starts.push(performance.now())
      connection.atOnce.push(running.size)
    })
  return Object.assign(connection, { send, close: () => clearInterval(ticker) })
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Uploads `size` bytes over the connection. Returns the outcome and the reported progress. */
async function upload(size: number, bytesPerSecond: number, buffer = 200_000) {
  const connection = openConnection(bytesPerSecond, buffer)
  const progress: number[] = []
  const start = performance.now()
  let elapsedMs: number | null = null
  const transferPromise = sendParts(
    {
      file: new Blob([new Uint8Array(size)]),
      ticket: uploadTicket(),
      contentType: 'video/mp4',
      storedParts: [],
      hasOriginalDate: true,
      isResumed: false,
      signal: new AbortController().signal,
      onProgress: (bytes) => progress.push(bytes),
      onInterrupted: () => undefined,
    },
    planParts(size, partSize),
    {
      send: connection.send,
      signParts: async ({ partNumbers }) => ({
        ok: true,
        value: { urls: Object.fromEntries(partNumbers.map((n) => [String(n), `/${n}`])) },
      }),
      wait,
      random: () => 0,
      isServerReady: async () => true,
      timers: browserTimers,
      checksums: { part: async () => null },
    },
  ).then(() => {
    elapsedMs = performance.now() - start
  })
  for (let minutes = 0; elapsedMs === null && minutes < 600; minutes += 1) {
    await vi.advanceTimersByTimeAsync(60_000)
  }
  connection.close()
  await transferPromise
  return { ...connection, shown: progress, seconds: (elapsedMs ?? Number.NaN) / 1000 }
}

describe('a slow connection', () => {
  test.each([
    { kilobytes: 16, size: 6 * partSize },
    { kilobytes: 20, size: 4 * partSize },
    { kilobytes: 50, size: 6 * partSize },
  ])('of $kilobytes KB/s transfers $size bytes, one part at a time', async (params) => {
    const connection = await upload(params.size, params.kilobytes * 1000)
    const failedOutcomes = connection.ends.filter((end) => end !== 'stored')
    expect(failedOutcomes).toEqual(Array(4).fill('timeout'))
    expect(connection.atOnce.slice(4)).toEqual(Array(params.size / partSize).fill(1))
    expect(connection.shown.at(-1)).toBe(params.size)
  })

  test('transfers a file even if the system buffers much more than it sends', async () => {
    const connection = await upload(4 * partSize, 20_000, 2_500_000)
    expect(connection.ends.filter((end) => end === 'stored')).toHaveLength(4)
  })

  test('lets the progress fall when bytes are lost', async () => {
    const { shown: progress } = await upload(16_000_000, 20_000)
    expect(progress.some((bytes, index) => bytes < (progress[index - 1] ?? 0))).toBe(true)
  })
})

test.each([60, 125, 2000, 25_000])(
  'a connection of %i KB/s transfers every byte once',
  async (kilobytes) => {
    const size = 12 * partSize
    const connection = await upload(size, kilobytes * 1000)
    expect(new Set(connection.ends)).toEqual(new Set(['stored']))
    expect(connection.carried).toBe(size)
    expect(Math.max(...connection.atOnce)).toBe(maxConnections)
  },
)
