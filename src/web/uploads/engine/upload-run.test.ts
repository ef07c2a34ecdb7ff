import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { refusal, uploadRecord, uploadTicket } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { wait } from '../transfer/connection.ts'
import { firstWaitMs } from '../transfer/retry-policy.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import { TransferFailed, type TransferJob } from '../upload-ports.ts'
import type { UploadLive } from '../uploads-state.ts'
import type { RunStep, UploadEvent } from './upload-events.ts'
import { type RunDeps, UploadRun } from './upload-run.ts'

const ticket = uploadTicket()
const file = new File([new Uint8Array(1000)], 'notes.txt', { lastModified: 7 })
const record = uploadRecord({
  id: '000001',
  identity: { name: 'notes.txt', size: 1000, lastModified: 7, sample: null },
  status: 'uploading',
})

const getTicket: RunStep = { type: 'get-ticket', instead: null }

/** Stands for a server that never answers. The call ends only when the signal is aborted. */
function hang(_: unknown, signal: AbortSignal): Promise<{ ok: false; refusal: typeof nothing }> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve({ ok: false, refusal: nothing })),
  )
}
const nothing = refusal(null)

let asked: { call: string; at: number; request: unknown }[]
let events: UploadEvent[]
let lives: UploadLive[]
let reported: unknown[]
let send: (job: TransferJob) => Promise<void>

function noted(call: string) {
  return (request: unknown, signal: AbortSignal) => {
    asked.push({ call, at: performance.now(), request })
    return hang(request, signal)
  }
}

/**
 * Runs an upload. Its first step is `steps[0]`. When a step ends, the engine answers with the next
 * one of the list.
 */
function begin(
  steps: readonly RunStep[],
  of: Partial<UploadRecord> = {},
  answers: Partial<RunDeps['calls']> = {},
) {
  const upload = { ...record, ...of }
  const left = [...steps]
  const calls: RunDeps['calls'] = {
    getUploadUrl: noted('start'),
    listParts: noted('list'),
    confirmUpload: noted('confirm'),
    abortUpload: () => new Promise<never>(() => undefined),
    currentUser: async () => ({ ok: true, value: 'ada' }),
    ...answers,
  }
  const run = new UploadRun(
    upload.id,
    {
      calls,
      data: { file: () => file },
      sendFile: (job) => send(job),
      sha256: async () => null,
      sample: async () => null,
      connection: { isOnline: () => true, untilOnline: async () => undefined },
      timers: browserTimers,
      wait,
      random: () => 0,
      isServerReady: async () => true,
      onStoredAnyway: () => undefined,
      reportError: (error) => reported.push(error),
    },
    {
      record: () => upload,
      dispatch: (_, event) => {
        if (event.type !== 'turn-began') events.push(event)
        return event.type === 'progress' ? null : (left.shift() ?? null)
      },
      changed: () => {
        if (run.live) lives.push(run.live)
      },
    },
  )
  run.begin()
  return run
}

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  events = []
  lives = []
  reported = []
  send = async () => undefined
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a call that nobody answers', () => {
  test.each<[string, number, RunStep]>([
    ['start', 30_000, { type: 'get-ticket', instead: null }],
    ['list', 30_000, { type: 'list-parts', ticket }],
    ['confirm', 600_000, { type: 'confirm', ticket, stage: 'confirm' }],
  ])('%s is ended after %i ms and made again', async (call, ms, step) => {
    const run = begin([step])
    await vi.advanceTimersByTimeAsync(ms + firstWaitMs - 1)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked.map(({ call: which }) => which)).toEqual([call, call])
    run.end()
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(asked).toHaveLength(2)
    expect(events).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a start', () => {
  test('says whose it is, and repeats itself by the same key', async () => {
    const run = begin([getTicket])
    await vi.advanceTimersByTimeAsync(callTimeoutMs + firstWaitMs)
    const same = { ownerId: 'ada', idempotencyKey: '000001', fileName: 'notes.txt' }
    expect(asked.map(({ request }) => request)).toMatchObject([same, same])
    run.end()
  })

  test.each([
    ['image/png', 'image/png'],
    ['', ''],
    ["application/x-it's", ''],
    ['application/x-(old)', ''],
    ['text/plain;charset=utf-8', ''],
  ])('of the type %j asks for %j, which the server takes', async (fileType, sent) => {
    const run = begin([getTicket], { fileType })
    await vi.advanceTimersByTimeAsync(0)
    expect(asked[0]?.request).toMatchObject({ fileType: sent })
    run.end()
  })
})

describe('URLs of parts that come with the ticket', () => {
  const parts = { size: 400, count: 3 }
  const urls = { 1: '/one', 2: '/two' }
  const transfer = (cloudKey = 'key') =>
    ({
      type: 'transfer',
      ticket: { ...ticket, cloudKey, parts },
      held: [],
      resumed: false,
    }) as const
  let jobs: TransferJob[]

  const started = async (...next: RunStep[]) => {
    jobs = []
    send = async (job) => void jobs.push(job)
    const getUploadUrl = async () =>
      ({ ok: true, value: { ...ticket, parts: { ...parts, urls } } }) as const
    const run = begin([getTicket, ...next], {}, { getUploadUrl })
    await vi.advanceTimersByTimeAsync(0)
    return run
  }

  test('are for the transfer that follows, once; the ticket that is kept has none', async () => {
    const run = await started(transfer(), transfer())
    expect(events[0]).toEqual({ type: 'ticket', ticket: { ...ticket, parts } })
    expect(run.starting).toBeNull()
    expect(jobs.map(({ partUrls }) => partUrls)).toEqual([urls, {}])
    run.end()
  })

  test('are not for another ticket', async () => {
    const run = await started(transfer('another'))
    expect(jobs.map(({ partUrls }) => partUrls)).toEqual([{}])
    run.end()
  })
})

describe('a transfer', () => {
  const transfer = { type: 'transfer', ticket, held: [], resumed: false } as const

  test('shows its progress and speed although the clock is set back', async () => {
    send = async ({ onProgress }) => {
      onProgress(0)
      vi.advanceTimersByTime(2000)
      vi.setSystemTime(Date.now() - 86_400_000)
      onProgress(500)
    }
    begin([transfer])
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toMatchObject([{ bytes: 0 }, { bytes: 500 }, { type: 'sent' }])
    expect(lives.at(-1)).toEqual({ interrupted: null, bytesPerSecond: 250 })
  })

  test('shows at once what was lost, and never a speed below nothing', async () => {
    send = async ({ onProgress }) => {
      onProgress(0)
      for (const bytes of [400, 750, 100, 300, 200]) {
        vi.advanceTimersByTime(bytes === 100 || bytes === 200 ? 10 : 2000)
        onProgress(bytes)
      }
    }
    begin([transfer])
    await vi.advanceTimersByTimeAsync(0)
    const shownBytes = events.map((event) => ('bytes' in event ? event.bytes : null))
    expect(shownBytes).toEqual([0, 400, 750, 100, 300, 200, null])
    for (const { bytesPerSecond } of lives) expect(bytesPerSecond ?? 0).toBeGreaterThanOrEqual(0)
    expect(lives.at(-1)?.bytesPerSecond).toBeGreaterThan(100)
  })

  test.each([
    [7, true],
    [8, false],
  ])('knows whether the file has the date of then (%i)', async (lastModified, expected) => {
    const dates: boolean[] = []
    send = async ({ hasFirstDate }) => void dates.push(hasFirstDate)
    begin([transfer], { identity: { ...record.identity, lastModified } })
    await vi.advanceTimersByTimeAsync(0)
    expect(dates).toEqual([expected])
  })
})

describe('an error', () => {
  const transfer = { type: 'transfer', ticket, held: [], resumed: false } as const

  const failing = (error: unknown) => {
    send = async () => {
      throw error
    }
    return begin([transfer])
  }

  test('that nobody expected fails the upload, and is reported', async () => {
    const error = new TypeError('x is not a function')
    failing(error)
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toEqual([{ type: 'transfer-failed', kind: 'status', status: null }])
    expect(reported).toEqual([error])
  })

  test('of the transfer fails the upload only', async () => {
    failing(new TransferFailed('timeout', 503))
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toEqual([{ type: 'transfer-failed', kind: 'timeout', status: 503 }])
    expect(reported).toEqual([])
  })

  test('that comes of the end of the run is none', async () => {
    send = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const run = begin([transfer])
    run.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toEqual([])
    expect(reported).toEqual([])
  })
})
