import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  filePercent,
  overallPercent,
  progressText,
  shareOf,
  spokenProgress,
  type UploadShare,
} from './upload-progress.ts'

function share(changes: Partial<UploadShare>): UploadShare {
  return {
    name: 'cut.mov',
    size: 1000,
    sent: 0,
    status: 'uploading',
    ...changes,
  }
}

describe('the texts of one file', () => {
  test.each([
    [0, 'Uploading cut.mov... 0%'],
    [949, 'Uploading cut.mov... 94%'],
    [950, 'Finalizing cut.mov...'],
    [1000, 'Finalizing cut.mov...'],
  ])('with %i of 1000 bytes: %s', (sent, text) => {
    expect(progressText(share({ sent }))).toBe(text)
  })

  test('an empty file is finalized at once', () => {
    expect(progressText(share({ size: 0 }))).toBe('Finalizing cut.mov...')
  })

  test('a screen reader hears quarters, not every percent', () => {
    const heard = new Set<string>()
    for (let sent = 0; sent <= 1000; sent += 1) heard.add(spokenProgress(share({ sent })))
    expect([...heard]).toEqual([
      'Uploading cut.mov',
      'Uploading cut.mov: 25%',
      'Uploading cut.mov: 50%',
      'Uploading cut.mov: 75%',
      'Finalizing cut.mov...',
    ])
  })
})

describe('the progress over all files', () => {
  test('goes by bytes, not by files', () => {
    const uploads = [
      share({ size: 100, status: 'completed' }),
      share({ size: 900, sent: 400 }),
      share({ size: 1000, status: 'pending' }),
    ]
    expect(overallPercent(uploads)).toBe(25)
  })

  test('leaves failed files out', () => {
    const uploads = [share({ status: 'failed', sent: 10 }), share({ sent: 500 })]
    expect(overallPercent(uploads)).toBe(50)
    expect(overallPercent([share({ status: 'failed' })])).toBe(0)
  })

  test('takes a paused upload for one that is still to do', () => {
    const record = {
      fileName: 'cut.mov',
      fileSize: 1000,
      uploadedBytes: 500,
      status: 'paused' as const,
    }
    expect(shareOf(record)).toEqual(share({ sent: 500, status: 'pending' }))
    expect(overallPercent([shareOf(record)])).toBe(50)
  })

  test('counts files where none has a byte', () => {
    const uploads = [share({ size: 0, status: 'completed' }), share({ size: 0 })]
    expect(overallPercent(uploads)).toBe(50)
  })

  test('is a whole number from 0 to 100, and 100 only when every file is stored', () => {
    const any = fc.array(
      fc.record({
        name: fc.constant('a'),
        size: fc.nat(5_000_000_000),
        sent: fc.nat(6_000_000_000),
        status: fc.constantFrom('pending', 'uploading', 'completed', 'failed'),
      }),
    )
    fc.assert(
      fc.property(any, (uploads) => {
        const percent = overallPercent(uploads)
        expect(Number.isInteger(percent)).toBe(true)
        expect(percent).toBeGreaterThanOrEqual(0)
        const left = uploads.filter(({ status }) => status !== 'failed')
        const all = left.length > 0 && left.every(({ status }) => status === 'completed')
        if (all) expect(percent).toBe(100)
        else expect(percent).toBeLessThan(100)
        for (const one of uploads) expect(filePercent(one)).toBeLessThanOrEqual(100)
      }),
    )
  })
})
