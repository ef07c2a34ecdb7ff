import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { uploadRecord } from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { type AutoFold, createAutoFold, foldAfterMs, foldsInMs } from './auto-fold.ts'

/** Makes one upload for each status. Each got its status `ago` milliseconds ago. */
function uploads(ago: number, ...statuses: UploadStatus[]): UploadRecord[] {
  return statuses.map((status, index) =>
    uploadRecord({ id: String(index), status, lastActivity: Date.now() - ago }),
  )
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2025-07-12T10:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('when the panel folds itself', () => {
  const inMs = (records: readonly UploadRecord[]) => foldsInMs(records, Date.now())

  test('is 5 s after the last of its uploads completed', () => {
    expect(inMs(uploads(0, 'completed'))).toBe(5000)
    expect(inMs([...uploads(4000, 'completed'), ...uploads(1000, 'completed')])).toBe(4000)
    expect(inMs(uploads(5000, 'completed'))).toBe(0)
    expect(inMs(uploads(86_400_000, 'completed', 'completed'))).toBe(0)
  })

  test('is 20 s after the last of its uploads ended where one of them failed', () => {
    expect(inMs(uploads(0, 'failed', 'completed'))).toBe(20_000)
    expect(inMs(uploads(20_000, 'failed'))).toBe(0)
  })

  test.each(['pending', 'uploading', 'paused'] as const)(
    'is never while one of them is %s',
    (status) => {
      expect(inMs(uploads(9000, 'completed', status))).toBeNull()
    },
  )

  test('does not count what a person cancelled, and is never without an upload', () => {
    const cancelled = uploadRecord({ status: 'failed', error: 'Cancelled by user' })
    expect(inMs([cancelled, ...uploads(9000, 'completed')])).toBe(0)
    expect(inMs([cancelled])).toBeNull()
    expect(inMs([])).toBeNull()
  })

  test('is not put off for long by a clock that was set back', () => {
    expect(inMs(uploads(-3_600_000, 'completed'))).toBe(5000)
  })
})

describe('the panel', () => {
  let fold: AutoFold
  const isFolded = () => fold.isFolded()
  let changes: number
  const open = (records: readonly UploadRecord[]) => {
    changes = 0
    fold = createAutoFold(browserTimers, records)
    fold.follow(() => {
      changes += 1
    })
    fold.show(records)
  }
  /** Opens the panel with running uploads, and completes them. */
  const complete = () => {
    open(uploads(0, 'uploading', 'pending'))
    fold.show(uploads(0, 'completed', 'completed'))
  }

  test('folds 5 s after the last upload completed', () => {
    complete()
    vi.advanceTimersByTime(foldAfterMs - 1)
    expect([isFolded(), changes]).toEqual([false, 0])
    vi.advanceTimersByTime(1)
    expect([isFolded(), changes]).toEqual([true, 1])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('starts folded where the last upload completed long before the page was loaded', () => {
    open(uploads(6000, 'completed'))
    expect([isFolded(), changes]).toEqual([true, 0])
  })

  test('folds 20 s after an upload failed, and stays folded', () => {
    open(uploads(0, 'uploading'))
    fold.show(uploads(0, 'failed'))
    vi.advanceTimersByTime(19_999)
    expect(isFolded()).toBe(false)
    vi.advanceTimersByTime(90_000)
    expect([isFolded(), vi.getTimerCount()]).toEqual([true, 0])
  })

  test('that was opened by hand folds only after it was closed by hand', () => {
    complete()
    fold.setOpenedByHand(true)
    vi.advanceTimersByTime(90_000)
    expect(isFolded()).toBe(false)
    fold.setOpenedByHand(false)
    expect(isFolded()).toBe(true)
  })

  test('folds at its time after a reload within the 5 s', () => {
    open(uploads(3000, 'completed'))
    expect(isFolded()).toBe(false)
    vi.advanceTimersByTime(2000)
    expect(isFolded()).toBe(true)
  })

  test('unfolds when another upload begins, and folds again after it', () => {
    complete()
    vi.advanceTimersByTime(5000)
    fold.show([...uploads(5000, 'completed'), ...uploads(0, 'uploading')])
    expect(isFolded()).toBe(false)
    fold.show(uploads(0, 'completed', 'completed'))
    vi.advanceTimersByTime(5000)
    expect(isFolded()).toBe(true)
  })

  test.each<[string, () => void]>([
    ['presses something in it', () => fold.touch()],
    ['moves the focus through it', () => [true, false].map((isIn) => fold.focus(isIn))],
    ['has the pointer over it', () => fold.hover(true)],
    ['opens it', () => fold.setOpenedByHand(true)],
  ])('stays as it is where a person %s', (_, act) => {
    complete()
    act()
    vi.advanceTimersByTime(60_000)
    expect([isFolded(), vi.getTimerCount()]).toEqual([false, 0])
  })

  test('stays as it is where a person used it while the uploads ran', () => {
    open(uploads(0, 'uploading'))
    fold.touch()
    fold.show(uploads(0, 'completed'))
    vi.advanceTimersByTime(60_000)
    expect(isFolded()).toBe(false)
  })

  test('folds once the pointer that only passed over it has left', () => {
    complete()
    fold.hover(true)
    vi.advanceTimersByTime(4000)
    fold.hover(false)
    vi.advanceTimersByTime(999)
    expect(isFolded()).toBe(false)
    vi.advanceTimersByTime(1)
    expect(isFolded()).toBe(true)
  })

  test('never folds while the focus is in it, though that has been there since before', () => {
    complete()
    fold.focus(true)
    fold.show(uploads(0, 'completed', 'uploading'))
    fold.show(uploads(0, 'completed', 'completed'))
    vi.advanceTimersByTime(60_000)
    expect(isFolded()).toBe(false)
    fold.focus(false)
    expect(isFolded()).toBe(true)
  })

  test('folds after the next uploads where a person touched it for earlier ones', () => {
    complete()
    fold.touch()
    vi.advanceTimersByTime(60_000)
    fold.show(uploads(0, 'completed', 'pending'))
    fold.show(uploads(0, 'completed', 'completed'))
    vi.advanceTimersByTime(5000)
    expect(isFolded()).toBe(true)
  })

  test('that a person opened does not fold after the next uploads either, until it was closed', () => {
    const next = () => {
      fold.show(uploads(0, 'completed', 'pending'))
      fold.show(uploads(0, 'completed', 'completed'))
      vi.advanceTimersByTime(5000)
    }
    complete()
    vi.advanceTimersByTime(5000)
    fold.setOpenedByHand(true)
    expect(isFolded()).toBe(false)
    next()
    expect(isFolded()).toBe(false)
    fold.setOpenedByHand(false)
    next()
    expect(isFolded()).toBe(true)
  })

  test('that has gone runs no timer', () => {
    complete()
    fold.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
