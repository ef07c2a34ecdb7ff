import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import type { Notice } from '../upload-notices.ts'
import { BatchCounts, type BatchProgress, createBatchProgress } from './batch-progress.ts'
import { isUnderWay } from './upload-machine.ts'

const unfinished: UploadStatus[] = ['pending', 'uploading', 'paused', 'failed']

interface Step {
  id: string
  status: UploadStatus | null
}

/** Counts these changes of uploads. No upload exists before the first change. */
function counted(...steps: Step[]): BatchCounts {
  const counts = new BatchCounts()
  const before = new Map<string, UploadStatus | null>()
  for (const { id, status } of steps) {
    const was = before.get(id) ?? null
    counts.change(id, was && { status: was }, status && { status })
    before.set(id, status)
  }
  return counts
}

function walk(...path: (UploadStatus | null)[]): BatchCounts {
  return counted(...path.map((status) => ({ id: 'one', status })))
}

describe('the counts of a batch', () => {
  test.each<[(UploadStatus | null)[], Partial<BatchCounts>]>([
    [['pending'], { open: 1, counted: 1, stored: 0, failed: 0 }],
    [['pending', 'uploading', 'completed'], { open: 0, counted: 1, stored: 1 }],
    [['pending', 'uploading', 'failed'], { open: 0, counted: 1, stored: 0, failed: 1 }],
    [['pending', 'uploading', 'paused'], { open: 0, counted: 0 }],
    [['pending', null], { open: 0, counted: 0 }],
    [['pending', 'failed', 'pending', 'completed'], { counted: 1, stored: 1, failed: 0 }],
    [['pending', 'failed', 'paused', 'pending', 'failed'], { counted: 1, failed: 1 }],
    [['pending', 'paused', 'pending', 'completed'], { counted: 1, stored: 1 }],
  ])('after %j', (path, expected) => {
    expect(walk(...path)).toMatchObject(expected)
  })

  test('after any changes each upload is counted at most once, and all open ones are', () => {
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      // An upload that was stored does not change any more.
      status: fc.constantFrom<UploadStatus | null>(...unfinished, null),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const last = new Map(steps.map(({ id, status }) => [id, status]))
        const open = [...last.values()].filter((status) => isUnderWay(status && { status })).length
        const counts = counted(...steps)
        expect(counts.open).toBe(open)
        expect(counts.counted).toBe(open + counts.failed)
        expect(counts.counted).toBeLessThanOrEqual(last.size)
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
  ])('%i files, %i stored, cancelled %s: %s', (files, stored, cancelled, text) => {
    const ends = Array.from({ length: files }, (_, index): Step[] => [
      { id: `${index}`, status: 'pending' },
      { id: `${index}`, status: index < stored ? 'completed' : 'failed' },
    ])
    const counts = counted(...ends.flat())
    counts.cancelled = cancelled
    expect(counts.outcome()).toBe(text)
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

  test('an upload that failed earlier and is tried again counts, also after another failure', () => {
    const earlier = add(1, { batch: 'a', status: 'failed', error: 'No.' })
    const [one, two] = add(2, { batch: 'b' })
    const retried = (record: UploadRecord): UploadRecord => ({ ...record, status: 'pending' })
    if (one) end([one], { status: 'failed', error: 'No.' })
    end(earlier, { status: 'pending' })
    end(earlier.map(retried), { status: 'completed' })
    if (two) end([two], { status: 'completed' })
    expect(batches.outcome()).toBe('2 of 3 files uploaded')
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
