import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FileKind, fileKinds } from '../../shared/rules/files/file-kind.ts'
import { lastDays } from '../../shared/rules/format/day.ts'
import { dayText } from '../../shared/rules/format/timestamp-text.ts'
import { summarizeDownloads, summarizeKinds, summarizeMostDownloaded } from './findings.ts'

const today = '2026-11-21'
const last30Days = lastDays(new Date('2026-11-21T12:00:00.000Z'), 30)

/**
 * Returns counts for the 30 days ending on 21 Nov: `lastCounts` for the final days, zero for the
 * days before.
 */
function makeDayCounts(...lastCounts: number[]) {
  const counts = [...Array<number>(30 - lastCounts.length).fill(0), ...lastCounts]
  return last30Days.map((day, index) => ({ day, count: counts[index] ?? 0 }))
}

describe('summarizeDownloads', () => {
  it.each([
    [[], 'No downloads in 30 days'],
    [[1], '1 download in 30 days, on 21 Nov'],
    [[7, 0, 0], '7 downloads in 30 days, all on 19 Nov'],
    [[400, 2, 10], '412 downloads in 30 days, most on 19 Nov'],
    [[5, 1, 5], '11 downloads in 30 days, at most 5 a day'],
    [[1, 1], '2 downloads in 30 days, at most 1 a day'],
    [[5, 5, 5], '15 downloads in 30 days, at most 5 a day'],
    [[1234, 1], '1,235 downloads in 30 days, most on 20 Nov'],
  ])('for %j is: %s', (lastCounts, summary) => {
    expect(summarizeDownloads(makeDayCounts(...lastCounts), today)).toBe(summary)
  })

  it('includes the year for a day in an earlier year', () => {
    const summary = summarizeDownloads([{ day: '2025-12-31', count: 2 }], today)
    expect(summary).toBe('2 downloads in 1 day, all on 31 Dec 2025')
  })

  it('handles a single day', () => {
    expect(summarizeDownloads([{ day: today, count: 0 }], today)).toBe('No downloads in 1 day')
  })

  it('states the total and names only a day with the maximum', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 30, maxLength: 30 }), (counts) => {
        const dayCounts = makeDayCounts(...counts)
        const summary = summarizeDownloads(dayCounts, today)
        const total = counts.reduce((sum, count) => sum + count, 0)
        expect(Number.parseInt(summary.replace('No', '0').replace(',', ''), 10)).toBe(total)
        const maxCount = Math.max(...counts)
        for (const { day, count } of dayCounts) {
          const isNamed = new RegExp(`\\b${dayText(day, today)}\\b`).test(summary)
          if (isNamed) expect(count).toBe(maxCount)
        }
      }),
    )
  })
})

function makeKindCounts(numbers: Partial<Record<FileKind, [count: number, size: number]>>) {
  return fileKinds.map((kind) => {
    const [count, size] = numbers[kind] ?? [0, 0]
    return { kind, count, size }
  })
}

describe('summarizeKinds', () => {
  it.each<[Parameters<typeof makeKindCounts>[0], string]>([
    [{}, 'No files yet'],
    [{ pdf: [1, 0] }, '1 file'],
    [{ image: [5, 0], video: [2, 0] }, '7 files'],
    [{ pdf: [3, 10] }, 'PDFs take up 100% of the space'],
    [{ image: [114, 39], video: [14, 61] }, 'Videos take up 61% of the space'],
    [{ image: [9, 1], audio: [2, 9] }, 'Audio files take up 90% of the space'],
    [{ image: [5, 1], video: [2, 9999] }, 'Videos take up over 99% of the space'],
  ])('for %j is: %s', (numbers, summary) => {
    expect(summarizeKinds(makeKindCounts(numbers))).toBe(summary)
  })

  it('never says 100% when there is more than one kind', () => {
    const count = fc.integer({ min: 1, max: 1000 })
    const size = fc.integer({ min: 1, max: 2 ** 40 })
    fc.assert(
      fc.property(count, size, count, size, (images, imageSize, videos, videoSize) => {
        const summary = summarizeKinds(
          makeKindCounts({ image: [images, imageSize], video: [videos, videoSize] }),
        )
        expect(summary).not.toContain(' 100%')
      }),
    )
  })
})

describe('summarizeMostDownloaded', () => {
  const makeFile = (originalName: string, downloadCount: number) => ({
    originalName,
    downloadCount,
  })
  /** Returns the summary without the invisible direction marks around file names. */
  const summarizeFiles = (...files: ReturnType<typeof makeFile>[]) =>
    summarizeMostDownloaded(files).replaceAll(/[\u2068\u2069]/g, '')

  it.each([
    [[], 'No file has been downloaded yet'],
    [[makeFile('a.zip', 1)], 'a.zip leads with 1 download'],
    [[makeFile('a.zip', 231), makeFile('b.mp4', 112)], 'a.zip leads with 231 downloads'],
    [[makeFile('a', 3), makeFile('b', 3)], 'No file has more than 3 downloads'],
  ])('for %j is: %s', (files, expectedText) => {
    expect(summarizeFiles(...files)).toBe(expectedText)
  })

  it('truncates long names and isolates their text direction', () => {
    expect(summarizeFiles(makeFile(`${'long '.repeat(50)}end.pdf`, 2))).toMatch(
      /^long .{10,40}end\.pdf leads/,
    )
    expect(summarizeMostDownloaded([makeFile('تقرير.pdf', 2)])).toBe(
      '\u2068تقرير.pdf\u2069 leads with 2 downloads',
    )
  })
})
