import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-fixtures.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { overallPercent, progressAnnouncement, progressText } from './upload-progress.ts'

function makeUpload(fileSize: number, uploadedBytes: number, status: UploadRecord['status']) {
  return uploadRecord({ fileSize, uploadedBytes, status })
}

describe('the progress text of one file', () => {
  test.each([
    [0, 'Uploading cut.mov... 0%'],
    [94, 'Uploading cut.mov... 94%'],
    [95, 'Finalizing cut.mov...'],
    [100, 'Finalizing cut.mov...'],
  ])("at %i %% is '%s'", (progress, text) => {
    expect(progressText({ fileName: 'cut.mov', progress })).toBe(text)
  })

  test('for screen readers changes at each quarter, not at every percent', () => {
    const announcements = new Set<string>()
    for (let progress = 0; progress <= 100; progress += 1) {
      announcements.add(progressAnnouncement({ fileName: 'cut.mov', progress }))
    }
    expect([...announcements]).toEqual([
      'Uploading cut.mov',
      'Uploading cut.mov: 25%',
      'Uploading cut.mov: 50%',
      'Uploading cut.mov: 75%',
      'Finalizing cut.mov...',
    ])
  })
})

describe('the progress over all files', () => {
  test('is weighted by bytes', () => {
    const uploads = [
      makeUpload(100, 100, 'completed'),
      makeUpload(900, 400, 'uploading'),
      makeUpload(1000, 0, 'paused'),
    ]
    expect(overallPercent(uploads)).toBe(25)
  })

  test('excludes failed files', () => {
    expect(
      overallPercent([makeUpload(1000, 10, 'failed'), makeUpload(1000, 500, 'uploading')]),
    ).toBe(50)
    expect(overallPercent([makeUpload(1000, 0, 'failed')])).toBe(0)
  })

  test('counts files if all of them are empty', () => {
    expect(overallPercent([makeUpload(0, 0, 'completed'), makeUpload(0, 0, 'uploading')])).toBe(50)
  })

  test('is an integer from 0 to 100, and reaches 100 only when every file is stored', () => {
    const statuses = fc.constantFrom('pending', 'uploading', 'completed', 'failed' as const)
    const anyUpload = fc
      .tuple(fc.nat(5_000_000_000), fc.double({ min: 0, max: 1, noNaN: true }), statuses)
      .map(([size, share, status]) => makeUpload(size, Math.floor(size * share), status))
    fc.assert(
      fc.property(fc.array(anyUpload), (uploads) => {
        const percent = overallPercent(uploads)
        expect(Number.isInteger(percent)).toBe(true)
        expect(percent).toBeGreaterThanOrEqual(0)
        const nonFailed = uploads.filter(({ status }) => status !== 'failed')
        const isAllCompleted =
          nonFailed.length > 0 && nonFailed.every(({ status }) => status === 'completed')
        if (isAllCompleted) expect(percent).toBe(100)
        else expect(percent).toBeLessThan(100)
      }),
    )
  })
})
