import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { callError, uploadRecord, uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { wait } from '../transfer/connection.ts'
import { firstWaitMs } from '../transfer/retry-policy.ts'
import { callTimeoutMs } from '../transfer/storage-request.ts'
import { TransferError, type TransferJob } from '../upload-ports.ts'
import type { UploadActivity } from '../uploads-state.ts'
import { type RunDeps, type RunResult, UploadRun } from './upload-run.ts'

const ticket = uploadTicket()
const file = new File([new Uint8Array(1000)], 'notes.txt', { lastModified: 7 })
const identity = { name: 'notes.txt', size: 1000, lastModified: 7 }

/** Simulates a server that never responds. The call ends only when its signal is aborted. */
function hangUntilAborted(
  _: unknown,
  signal: AbortSignal,
): Promise<{ ok: false; error: typeof noResponse }> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve({ ok: false, error: noResponse })),
  )
}
const noResponse = callError(null)

let record: UploadRecord
let recordedCalls: { call: string; request: unknown }[]
let jobs: TransferJob[]
/** The reported byte counts, in order. */
let reportedBytes: number[]
let activities: UploadActivity[]
let reportedErrors: unknown[]
let send: (job: TransferJob) => Promise<void>
let calls: RunDeps['calls']
let resultPromise: Promise<RunResult | null>

function startRun(changes: Partial<UploadRecord> = {}, uploadFile: File | null = file): UploadRun {
  record = { ...record, ...changes }
  const recordCall =
    <Input, Value>(call: string, response: (input: Input, signal: AbortSignal) => Value) =>
    (request: Input, signal: AbortSignal): Value => {
      recordedCalls.push({ call, request })
      return response(request, signal)
    }
  const run = new UploadRun(
    uploadFile,
    {
      calls: {
        ...calls,
        getUploadUrl: recordCall('getUploadUrl', calls.getUploadUrl),
        listParts: recordCall('listParts', calls.listParts),
        confirmUpload: recordCall('confirmUpload', calls.confirmUpload),
      },
      startInLink: async () => ({ ok: false, error: noResponse }),
      sendFile: (job) => {
        jobs.push(job)
        return send(job)
      },
      checksumsOf: async () => null,
      timers: browserTimers,
      wait,
      random: () => 0,
      isServerReady: async () => true,
      reportError: (error) => reportedErrors.push(error),
    },
    {
      get: () => record,
      update: (update) => {
        record = { ...record, ...update }
        if (update.uploadedBytes !== undefined) reportedBytes.push(update.uploadedBytes)
      },
      onActivityChange: () => {
        if (run.activity) activities.push(run.activity)
      },
    },
  )
  resultPromise = run.run()
  return run
}

beforeEach(() => {
  vi.useFakeTimers()
  record = uploadRecord({ id: '000001', identity, status: 'pending' })
  recordedCalls = []
  jobs = []
  reportedBytes = []
  activities = []
  reportedErrors = []
  send = async () => undefined
  calls = {
    getUploadUrl: async () => ({ ok: true, value: ticket }),
    listParts: async () => ({ ok: true, value: { parts: [] } }),
    confirmUpload: hangUntilAborted,
    abortUpload: async () => ({ ok: true, value: null }),
  }
})
afterEach(() => {
  vi.useRealTimers()
})

test.each<[keyof typeof calls, number, Partial<UploadRecord>]>([
  ['getUploadUrl', 30_000, {}],
  ['listParts', 30_000, { ticket, uploadStartTime: 0 }],
  ['confirmUpload', 600_000, {}],
])('an unanswered %s call times out after %i ms and is retried', async (call, ms, uploadFile) => {
  calls = { ...calls, [call]: hangUntilAborted }
  const run = startRun(uploadFile)
  const countCalls = () => recordedCalls.filter((recordedCall) => recordedCall.call === call).length
  await vi.advanceTimersByTimeAsync(ms + firstWaitMs - 1)
  expect(countCalls()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(countCalls()).toBe(2)
  run.stop()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(countCalls()).toBe(2)
  expect(await resultPromise).toBeNull()
  expect(vi.getTimerCount()).toBe(0)
})

test('a repeated start sends the same owner and idempotency key', async () => {
  calls.getUploadUrl = hangUntilAborted
  startRun().stop()
  await vi.advanceTimersByTimeAsync(callTimeoutMs)
  startRun()
  await vi.advanceTimersByTimeAsync(0)
  const expected = { ownerId: 'ada', idempotencyKey: '000001', fileName: 'notes.txt' }
  expect(recordedCalls.map(({ request }) => request)).toMatchObject([expected, expected])
})

test.each([
  ['image/png', 'image/png'],
  ["application/x-it's", ''],
  ['text/plain;charset=utf-8', ''],
])('a file of the type %j is sent as %j', async (fileType, sent) => {
  startRun({ fileType })
  await vi.advanceTimersByTimeAsync(0)
  expect(recordedCalls[0]?.request).toMatchObject({ fileType: sent })
})

test('part URLs of the ticket are never saved', async () => {
  const parts = { size: 400, count: 3 }
  const urls = { 1: '/one', 2: '/two' }
  calls.getUploadUrl = async () => ({ ok: true, value: { ...ticket, parts: { ...parts, urls } } })
  startRun()
  await vi.advanceTimersByTimeAsync(0)
  expect(record.ticket).toEqual({ ...ticket, parts })
})

describe('a transfer', () => {
  test('reports progress and speed even if the clock is set back', async () => {
    send = async ({ onProgress }) => {
      onProgress(0)
      vi.advanceTimersByTime(2000)
      vi.setSystemTime(Date.now() - 86_400_000)
      onProgress(500)
    }
    startRun()
    await vi.advanceTimersByTimeAsync(0)
    expect(reportedBytes).toEqual([500, 1000])
    expect(activities.at(-1)).toEqual({ interruption: null, bytesPerSecond: 250 })
  })

  test('reports lost bytes immediately and never a negative speed', async () => {
    send = async ({ onProgress }) => {
      onProgress(0)
      for (const sent of [400, 750, 100, 300, 200]) {
        vi.advanceTimersByTime(sent === 100 || sent === 200 ? 10 : 2000)
        onProgress(sent)
      }
    }
    startRun()
    await vi.advanceTimersByTimeAsync(0)
    expect(reportedBytes).toEqual([400, 750, 100, 300, 200, 1000])
    for (const { bytesPerSecond } of activities)
      expect(bytesPerSecond ?? 0).toBeGreaterThanOrEqual(0)
  })

  test.each([
    [7, true],
    [8, false],
  ])('detects a file with a different modification date (%i)', async (lastModified, expected) => {
    startRun({ identity: { ...identity, lastModified } })
    await vi.advanceTimersByTimeAsync(0)
    expect(jobs.map(({ hasOriginalDate }) => hasOriginalDate)).toEqual([expected])
  })
})

describe('a failed attempt', () => {
  const makeFailedOutcome = (status: number, code: string | null = null) =>
    ({ ok: false, error: callError(status, code) }) as const
  const getCallNames = () => recordedCalls.map(({ call }) => call)

  test.each([
    ['different bytes', makeFailedOutcome(409, 'CHECKSUM_MISMATCH'), 'getUploadUrl'],
    ['missing bytes', makeFailedOutcome(400, 'UPLOAD_INCOMPLETE'), 'listParts'],
  ])('is repaired once if the server has %s', async (_, response, nextCall) => {
    calls.confirmUpload = async () => response
    startRun()
    await vi.advanceTimersByTimeAsync(0)
    expect(getCallNames()).toEqual(['getUploadUrl', 'confirmUpload', nextCall, 'confirmUpload'])
    expect(await resultPromise).toMatchObject({ type: 'failed', stage: 'confirm' })
  })

  test("is confirmed, or restarted if the server doesn't know the upload", async () => {
    calls.listParts = async () => makeFailedOutcome(404)
    calls.confirmUpload = async () => makeFailedOutcome(404)
    startRun({ ticket, uploadStartTime: 0 })
    await vi.advanceTimersByTimeAsync(0)
    expect(getCallNames()).toEqual(['listParts', 'confirmUpload', 'getUploadUrl', 'confirmUpload'])
  })

  test.each([
    ['a small file whose URL has expired', new TransferError('status', 403)],
    ['a changed file', new TransferError('changed')],
  ])('of %s starts over', async (_, error) => {
    send = async () => {
      throw error
    }
    startRun({ ticket, uploadStartTime: 0 })
    await vi.advanceTimersByTimeAsync(0)
    expect(getCallNames()).toEqual(['listParts', 'getUploadUrl'])
    expect(await resultPromise).toMatchObject({ type: 'failed', stage: 'transfer' })
  })

  test("of a large file with rejected URLs isn't repeated and keeps the stored parts", async () => {
    send = async () => {
      throw new TransferError('status', 403)
    }
    startRun({ ticket: { ...ticket, parts: { size: 400, count: 3 } }, uploadStartTime: 0 })
    expect(await resultPromise).toMatchObject({
      type: 'failed',
      cause: { kind: 'status', status: 403 },
    })
    expect(record.ticket).not.toBeNull()
  })
})

describe('an upload without its file is only confirmed', () => {
  test.each([404, 400])('and asks for the file if the server lacks bytes (%i)', async (status) => {
    const response = callError(status, status === 400 ? 'UPLOAD_INCOMPLETE' : null)
    calls.confirmUpload = async () => ({ ok: false, error: response })
    startRun({ ticket }, null)
    expect(await resultPromise).toEqual({ type: 'paused', need: 'file' })
    expect(jobs).toEqual([])
  })
})

describe('an error', () => {
  test('that is unexpected is reported and fails the upload', async () => {
    const error = new TypeError('x is not a function')
    send = async () => {
      throw error
    }
    startRun()
    expect(await resultPromise).toMatchObject({
      type: 'failed',
      cause: { kind: 'status', status: null },
    })
    expect(reportedErrors).toEqual([error])
  })

  test('caused by stopping the run is ignored', async () => {
    send = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const run = startRun()
    await vi.advanceTimersByTimeAsync(0)
    run.stop()
    expect(await resultPromise).toBeNull()
    expect(reportedErrors).toEqual([])
  })
})
