import { describe, expect, it, test } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import {
  countByStatus,
  formatTimeLeft,
  getOverallInterruption,
  getPanelRecords,
  type PanelScope,
  speedText,
  summaryAnnouncement,
  summaryText,
} from './panel-view.ts'

function makeRecord(changes: Partial<UploadRecord>): UploadRecord {
  return uploadRecord({ path: 'background', fileName: 'film.mp4', fileSize: 100, ...changes })
}

describe('the listed uploads', () => {
  it("exclude this tab's foreground uploads on the dashboard, unless they are paused", () => {
    const records = [
      makeRecord({ id: 'a', path: 'foreground', status: 'uploading' }),
      makeRecord({ id: 'b', path: 'foreground', status: 'paused', need: 'file' }),
      makeRecord({ id: 'c', path: 'background', status: 'completed' }),
      makeRecord({ id: 'd', path: 'foreground', status: 'completed' }),
    ]
    const getIds = (scope: PanelScope) =>
      getPanelRecords(records, new Set(['d']), scope).map(({ id }) => id)
    expect(getIds('background')).toEqual(['b', 'c', 'd'])
    expect(getIds('all')).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are ordered by urgency, oldest first', () => {
    const statuses: UploadStatus[] = [
      'completed',
      'pending',
      'failed',
      'pending',
      'uploading',
      'paused',
    ]
    const scope = getPanelRecords(
      statuses.map((status, index) => makeRecord({ id: String(index), status })),
      new Set(),
      'all',
    )
    expect(scope.map(({ id }) => id)).toEqual(['4', '2', '5', '1', '3', '0'])
  })
})

describe('the header text', () => {
  const countStatuses = (...statuses: UploadStatus[]) =>
    summaryText(countByStatus(statuses.map((status) => ({ status, error: null }))), null)

  it('counts running uploads, excluding failed ones', () => {
    expect(countStatuses('uploading', 'pending', 'paused')).toBe('Uploading 1 of 3')
    expect(countStatuses('completed', 'uploading', 'failed')).toBe('Uploading 2 of 2')
    expect(countStatuses('pending')).toBe('Uploading 1 of 1')
    expect(countStatuses('failed', 'pending')).toBe('Uploading 1 of 1')
  })

  it('shows why no upload makes progress', () => {
    const getSummary = (status: UploadStatus) =>
      summaryText(countByStatus([{ status, error: null }]), 'no-response')
    expect(getSummary('uploading')).toBe('Waiting for the connection')
    expect(getSummary('pending')).toBe('Waiting for the connection')
    const counts = countByStatus([{ status: 'uploading', error: null }])
    expect(summaryText(counts, 'not-ready')).toBe('Waiting for the server')
  })

  it('counts uploads that need attention, otherwise shows the result', () => {
    expect(countStatuses('paused')).toBe('1 upload paused')
    expect(countStatuses('paused', 'paused', 'completed')).toBe('2 uploads paused')
    expect(countStatuses('paused', 'failed')).toBe('1 upload paused, 1 failed')
    expect(countStatuses('failed', 'completed', 'failed')).toBe('2 uploads failed')
    expect(countStatuses('completed')).toBe('1 file uploaded')
    expect(countStatuses('completed', 'completed')).toBe('2 files uploaded')
    const cancelled = { status: 'failed', error: 'Cancelled by user' } as const
    expect(summaryText(countByStatus([cancelled]), null)).toBe('1 upload cancelled')
    const storedState = { status: 'completed', error: null } as const
    expect(summaryText(countByStatus([cancelled, storedState]), null)).toBe('1 file uploaded')
  })
})

test("the screen reader text doesn't count up, and mentions uploads that need attention", () => {
  const getAnnouncement = (...statuses: UploadStatus[]) =>
    summaryAnnouncement(countByStatus(statuses.map((status) => ({ status, error: null }))), null)
  expect(getAnnouncement('uploading', 'pending')).toBe('Uploading 2 files')
  expect(getAnnouncement('completed', 'uploading', 'failed')).toBe(
    'Uploading 2 files, 1 upload failed',
  )
  expect(getAnnouncement('completed', 'completed')).toBe('2 files uploaded')
  const counts = countByStatus([{ status: 'uploading', error: null }])
  expect(summaryAnnouncement(counts, 'busy')).toBe('Waiting for the server')
})

describe('speed and time left', () => {
  it('formats the speed', () => {
    expect(speedText(11.4 * 1024 ** 2)).toBe('11.4 MB/s')
    expect(speedText(1)).toBe('1 Bytes/s')
  })

  it('shows no speed if it is unknown or 0', () => {
    for (const speed of [null, 0, 0.4, -3]) expect(speedText(speed)).toBeNull()
  })

  it.each([
    [1, '1 s left'],
    [59, '59 s left'],
    [60, '1 min left'],
    [61, '2 min left'],
    [3600, '1 h left'],
    [3601, '1 h 1 min left'],
    [7199, '2 h left'],
    [86_399, '24 h left'],
    [86_400, 'More than a day left'],
  ])('formats %i s', (seconds, text) => {
    expect(formatTimeLeft({ fileSize: seconds * 10 + 5, uploadedBytes: 5 }, 10)).toBe(text)
  })

  it("shows no time left if it can't be computed", () => {
    expect(formatTimeLeft({ fileSize: 10, uploadedBytes: 0 }, null)).toBeNull()
    expect(formatTimeLeft({ fileSize: 10, uploadedBytes: 0 }, 0)).toBeNull()
    expect(formatTimeLeft({ fileSize: 10, uploadedBytes: 10 }, 5)).toBeNull()
    expect(formatTimeLeft({ fileSize: 10, uploadedBytes: 12 }, 5)).toBeNull()
  })
})

describe('the common interruption of all uploads', () => {
  /**
   * Calls `getOverallInterruption`. Each string is an upload's status, followed by its interruption
   * if there is one, as in 'pending no-response'.
   */
  const toInterruption = (...uploads: (UploadStatus | `${UploadStatus} ${Interruption}`)[]) =>
    getOverallInterruption(
      uploads.map((upload, id) => ({
        id: String(id),
        status: upload.split(' ')[0] as UploadStatus,
      })),
      Object.fromEntries(
        uploads.map((upload, id) => {
          const interruption = (upload.split(' ')[1] ?? null) as Interruption | null
          return [String(id), { interruption, bytesPerSecond: null }]
        }),
      ),
    )

  test("ignores uploads that haven't started", () => {
    expect(toInterruption('uploading no-response')).toBe('no-response')
    expect(toInterruption('pending no-response', 'pending', 'failed')).toBe('no-response')
    expect(toInterruption('uploading no-response', 'uploading no-response', 'pending')).toBe(
      'no-response',
    )
  })

  test('ignores uploads that are waiting to send', () => {
    const records = ['0', '1'].map((id) => ({ id, status: 'uploading' as const }))
    const activity = { 0: { interruption: 'no-response' as const, bytesPerSecond: null } }
    expect(getOverallInterruption(records, activity)).toBe('no-response')
  })

  test("isn't a lost connection if any upload got a response", () => {
    expect(toInterruption('uploading not-ready', 'pending')).toBe('not-ready')
    expect(toInterruption('uploading no-response', 'pending not-ready')).toBe('not-ready')
    expect(toInterruption('uploading no-response', 'pending busy')).toBe('busy')
  })

  test('prefers a full disk over any other reason', () => {
    expect(toInterruption('uploading busy', 'uploading no-response', 'pending disk-full')).toBe(
      'disk-full',
    )
  })

  test('is null if any upload makes progress or none is running', () => {
    expect(toInterruption('uploading no-response', 'uploading')).toBeNull()
    expect(toInterruption('uploading', 'pending not-ready')).toBeNull()
    expect(toInterruption('completed', 'pending')).toBeNull()
    expect(toInterruption('paused', 'failed', 'completed')).toBeNull()
    expect(toInterruption()).toBeNull()
  })
})
