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
const stored: StorageResponse = {
  kind: 'response',
  status: 200,
  code: null,
  uploadOffset: null,
  retryAfterMs: null,
}

interface Passing {
  request: StorageRequest
  size: number
  carried: number
  end: (response: StorageResponse) => void
}

/**
 * Simulates a connection whose bandwidth is shared equally by all running requests. The operating
 * system buffers `buffer` bytes of each request before sending them, and the browser reports these
 * as sent.
 */
function openLine(bytesPerSecond: number, buffer: number) {
  const passing = new Set<Passing>()
  const line = {
    bytesPerSecond,
    /** Bytes of all requests, including wasted ones. */
    carried: 0,
    starts: [] as number[],
    ends: [] as ('stored' | 'given up' | 'timeout')[],
    /** Number of running requests each time one started. */
    atOnce: [] as number[],
  }
  const tick = () => {
    const share = Math.floor((line.bytesPerSecond * tickMs) / 1000 / passing.size)
    for (const one of [...passing]) {
      const bytes = Math.min(share, one.size - one.carried)
      one.carried += bytes
      line.carried += bytes
      one.request.onSent?.(Math.min(one.size, one.carried + buffer))
      if (one.carried < one.size) continue
      line.ends.push('stored')
      one.end(stored)
    }
  }
  const ticking = setInterval(tick, tickMs)
  const send: Send = (request) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        line.ends.push('timeout')
        one.end({ kind: 'timeout' })
      }, request.timeoutMs)
      const leave = () => {
        clearTimeout(late)
        passing.delete(one)
      }
      const end = (response: StorageResponse) => {
        leave()
        resolve(response)
      }
      const one: Passing = { request, size: request.body?.size ?? 0, carried: 0, end }
      request.signal.addEventListener('abort', () => {
        if (!passing.has(one)) return
        line.ends.push('given up')
        leave()
        reject(request.signal.reason)
      })
      passing.add(one)
      line.starts.push(performance.now())
      line.atOnce.push(passing.size)
    })
  return Object.assign(line, { send, close: () => clearInterval(ticking) })
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Uploads `size` bytes over the connection. Returns the outcome and the reported progress. */
async function upload(size: number, bytesPerSecond: number, buffer = 200_000) {
  const line = openLine(bytesPerSecond, buffer)
  const shown: number[] = []
  const start = performance.now()
  let took: number | null = null
  const sending = sendParts(
    {
      file: new Blob([new Uint8Array(size)]),
      ticket: uploadTicket(),
      contentType: 'video/mp4',
      storedParts: [],
      hasOriginalDate: true,
      isResumed: false,
      partUrls: {},
      signal: new AbortController().signal,
      onProgress: (bytes) => shown.push(bytes),
      onInterrupted: () => undefined,
    },
    planParts(size, partSize),
    {
      send: line.send,
      signParts: async ({ partNumbers }) => ({
        ok: true,
        value: { urls: Object.fromEntries(partNumbers.map((n) => [String(n), `/${n}`])) },
      }),
      wait,
      connection: { isOnline: () => true, waitUntilOnline: async () => undefined },
      random: () => 0,
      isServerReady: async () => true,
      timers: browserTimers,
      checksums: { part: async () => null },
    },
  ).then(() => {
    took = performance.now() - start
  })
  for (let minutes = 0; took === null && minutes < 600; minutes += 1) {
    await vi.advanceTimersByTimeAsync(60_000)
  }
  line.close()
  await sending
  return { ...line, shown, seconds: (took ?? Number.NaN) / 1000 }
}

describe('a slow connection', () => {
  test.each([
    { kilobytes: 16, size: 6 * partSize },
    { kilobytes: 20, size: 4 * partSize },
    { kilobytes: 50, size: 6 * partSize },
  ])('of $kilobytes KB/s transfers $size bytes, one part at a time', async (given) => {
    const line = await upload(given.size, given.kilobytes * 1000)
    const inVain = line.ends.filter((end) => end !== 'stored')
    expect(inVain).toEqual(Array(4).fill('timeout'))
    expect(line.atOnce.slice(4)).toEqual(Array(given.size / partSize).fill(1))
    expect(line.shown.at(-1)).toBe(given.size)
  })

  test('transfers a file even if the system buffers much more than it sends', async () => {
    const line = await upload(4 * partSize, 20_000, 2_500_000)
    expect(line.ends.filter((end) => end === 'stored')).toHaveLength(4)
  })

  test('is reported truthfully: progress falls when bytes are lost', async () => {
    const { shown } = await upload(16_000_000, 20_000)
    expect(shown.some((bytes, at) => bytes < (shown[at - 1] ?? 0))).toBe(true)
  })
})

test.each([60, 125, 2000, 25_000])(
  'a connection of %i KB/s transfers every byte once',
  async (kilobytes) => {
    const size = 12 * partSize
    const line = await upload(size, kilobytes * 1000)
    expect(new Set(line.ends)).toEqual(new Set(['stored']))
    expect(line.carried).toBe(size)
    expect(Math.max(...line.atOnce)).toBe(maxConnections)
  },
)
