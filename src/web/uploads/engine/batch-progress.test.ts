import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import type { Notice } from '../upload-notices.ts'
import {
  type BatchProgress,
  countChange,
  createBatchProgress,
  noUploads,
  outcomeText,
} from './batch-progress.ts'

const statuses: UploadStatus[] = ['pending', 'uploading', 'paused', 'completed', 'failed']

describe('the counts of a batch', () => {
  const walk = (...path: (UploadStatus | null)[]) =>
    path.reduce(
      ({ counts, before }, after) => ({
        counts: countChange(counts, before && { status: before }, after && { status: after }),
        before: after,
      }),
      { counts: noUploads(), before: null as UploadStatus | null },
    ).counts

  test.each<[(UploadStatus | null)[], Partial<ReturnType<typeof noUploads>>]>([
    [['pending'], { open: 1, counted: 1 }],
    [['pending', 'uploading', 'completed'], { open: 0, counted: 1, stored: 1 }],
    [['pending', 'uploading', 'failed'], { counted: 1, failed: 1 }],
    [['pending', 'uploading', 'paused'], { counted: 0 }],
    [['pending', null], { counted: 0 }],
    [['pending', 'failed', 'pending', 'completed'], { counted: 1, stored: 1, failed: 0 }],
    [['pending', 'paused', 'pending', 'completed'], { counted: 1, stored: 1 }],
  ])('after %j', (path, counts) => {
    expect(walk(...path)).toEqual({ ...noUploads(), ...counts })
  })

  test('never fall below nothing, and what is counted is open, stored or failed', () => {
    const path = fc.array(fc.constantFrom<UploadStatus | null>(...statuses, null))
    fc.assert(
      fc.property(path, (steps) => {
        const { open, counted, stored, failed } = walk(...steps)
        expect(Math.min(open, counted, stored, failed)).toBeGreaterThanOrEqual(0)
        expect(open).toBeLessThanOrEqual(1)
        expect(counted).toBe(open + stored + failed)
      }),
    )
  })
})

describe('the end of a batch', () => {
  test.each([
    [2, 2, false, 'Upload completed successfully!'],
    [2, 1, false, '1 of 2 files uploaded'],
    [1, 0, false, null],
    [0, 0, false, null],
    [0, 0, true, 'Cancelled by user'],
    [2, 1, true, 'Cancelled by user'],
    [1, 1, true, 'Cancelled by user'],
  ])('%i files, %i stored, cancelled %s: %s', (counted, stored, cancelled, text) => {
    expect(outcomeText({ ...noUploads(), counted, stored, cancelled })).toBe(text)
  })
})

describe('the progress of drops and of the foreground path', () => {
  let told: Notice[]
  let outcomes: (string | null)[]
  let batches: BatchProgress
  beforeEach(() => {
    vi.useFakeTimers()
    told = []
    outcomes = []
    batches = createBatchProgress(
      browserTimers,
      (notice) => told.push(notice),
      () => outcomes.push(batches.outcome()),
    )
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const add = (files: number, changes: Partial<UploadRecord> = {}) => {
    const added = Array.from({ length: files }, (_, index) =>
      uploadRecord({ id: `${changes.batch ?? 'drop'} ${index}`, ...changes }),
    )
    for (const record of added) batches.added(record)
    return added
  }
  const end = (records: readonly UploadRecord[], changes: Partial<UploadRecord>) => {
    for (const record of records) batches.changed(record, { ...record, ...changes })
  }

  test('a drop of more than ten files is told of once, when its last file has ended', () => {
    const [first, ...rest] = add(11)
    end(rest, { status: 'completed' })
    expect(told).toEqual([])
    if (first) end([first], { status: 'failed', error: 'No.' })
    expect(told).toMatchObject([{ description: '10 of 11 files uploaded' }])
  })

  test('a smaller drop is not, since each of its files is', () => {
    end(add(10), { status: 'completed' })
    expect(told).toEqual([])
  })

  test('a large drop of which nothing was stored or failed is not told of', () => {
    end(add(11), { status: 'failed', error: 'Cancelled by user' })
    expect(told).toEqual([])
  })

  test('knows how many files a drop has, and how many are under way', () => {
    const [one] = add(3, { batch: 'a' })
    add(2, { batch: 'b' })
    expect(one && batches.dropSize(one)).toBe(3)
    expect(batches.dropSize(uploadRecord({ batch: 'of a page before' }))).toBe(1)
    expect(batches.underWay()).toBe(5)
    end(one ? [one] : [], { status: 'paused' })
    expect(batches.underWay()).toBe(4)
  })

  test('the outcome of the foreground path covers all drops until nothing runs, for 2 s', () => {
    const one = add(1, { batch: 'a' })
    const two = add(1, { batch: 'b' })
    end(one, { status: 'completed' })
    expect(batches.outcome()).toBeNull()
    end(two, { status: 'failed', error: 'No.' })
    expect(batches.outcome()).toBe('1 of 2 files uploaded')
    vi.advanceTimersByTime(1999)
    expect(batches.outcome()).toBe('1 of 2 files uploaded')
    vi.advanceTimersByTime(1)
    expect(batches.outcome()).toBeNull()
    expect(outcomes.at(-1)).toBeNull()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('says that the whole of it was cancelled, and not of the background path', () => {
    const files = add(2)
    batches.cancelForeground()
    end(files, { status: 'failed', error: 'Cancelled by user' })
    expect(batches.outcome()).toBe('Cancelled by user')
    vi.advanceTimersByTime(2000)
    end(add(2, { batch: 'b', path: 'background' }), { status: 'completed' })
    expect(batches.outcome()).toBeNull()
  })

  test('does not say so of the next batch where nothing ran', () => {
    batches.cancelForeground()
    end(add(1), { status: 'completed' })
    expect(batches.outcome()).toBe('Upload completed successfully!')
  })
})
