import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadsState } from '../uploads-state.ts'
import { changeShownMs, followUploads, refreshMs } from './follow-uploads.ts'

function record(changes: Partial<UploadRecord>) {
  return {
    id: 'one',
    status: 'uploading',
    need: null,
    error: null,
    progress: 0,
    ...changes,
  } as UploadRecord
}

function makeStore() {
  return createStore<UploadsState>(() => ({
    records: [record({})],
    live: {},
    inlineError: null,
    outcome: null,
    add: () => undefined,
    cancel: () => undefined,
    cancelForeground: () => undefined,
    resume: () => undefined,
    provideFile: () => undefined,
    clear: () => undefined,
    dismissInlineError: () => undefined,
  }))
}

describe('following the uploads', () => {
  let store: ReturnType<typeof makeStore>
  let shown: number[]
  let stop: () => void
  beforeEach(() => {
    vi.useFakeTimers()
    store = makeStore()
    shown = []
    stop = followUploads(store, ({ records }) => shown.push(records[0]?.progress ?? -1))
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
  })
  const progress = (percent: number, changes: Partial<UploadRecord> = {}) =>
    store.setState({ records: [record({ progress: percent, ...changes })] })

  it('runs no timer while nothing changes, before and after', () => {
    expect(vi.getTimerCount()).toBe(0)
    progress(1)
    vi.advanceTimersByTime(0)
    expect(shown).toEqual([1])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shows progress once a second, the last of it always', () => {
    for (let at = 0; at < 25; at++) {
      progress(at)
      vi.advanceTimersByTime(100)
    }
    expect(shown).toHaveLength(3)
    vi.advanceTimersByTime(refreshMs)
    expect(shown.at(-1)).toBe(24)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shows a change of state at once, though progress was shown just before', () => {
    progress(1)
    vi.advanceTimersByTime(0)
    progress(2)
    progress(3, { status: 'paused' })
    vi.advanceTimersByTime(changeShownMs)
    expect(shown).toEqual([1, 3])
  })

  it('shows many changes of state together', () => {
    for (let at = 0; at < 100; at++) {
      progress(at, { error: String(at) })
      vi.advanceTimersByTime(10)
    }
    expect(shown.length).toBeLessThanOrEqual(11)
  })

  it('says nothing more once it was stopped', () => {
    progress(1)
    stop()
    vi.advanceTimersByTime(refreshMs)
    expect(shown).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
