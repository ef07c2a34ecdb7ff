import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'

/** Spec §9: background panel refresh, 1 s. */
export const refreshMs = 1000
/** A change that is more than progress shows as soon as this; a thousand small ones at once share it. */
export const changeShownMs = 100

const sameBut = (before: UploadRecord, after: UploadRecord): boolean =>
  before === after ||
  (before.id === after.id &&
    before.status === after.status &&
    before.need === after.need &&
    before.error === after.error)

const onlyProgressed = (before: UploadsState, after: UploadsState): boolean =>
  before.records.length === after.records.length &&
  before.records.every((record, at) => sameBut(record, after.records[at] as UploadRecord))

/**
 * Calls `show` with the state of the uploads as often as a person can use it: progress once a second
 * (spec §4), anything else almost at once. While nothing changes no timer runs. Answers how to stop.
 */
export const followUploads = (
  store: UploadsStore,
  show: (state: UploadsState) => void,
): (() => void) => {
  let shown = store.getState()
  let shownAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY

  const refresh = () => {
    timer = undefined
    dueAt = Number.POSITIVE_INFINITY
    shownAt = performance.now()
    shown = store.getState()
    show(shown)
  }
  const showBy = (at: number) => {
    if (at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(refresh, Math.max(0, at - performance.now()))
  }
  const stop = store.subscribe((next) =>
    showBy(
      onlyProgressed(shown, next)
        ? Math.max(performance.now(), shownAt + refreshMs)
        : Math.max(performance.now(), shownAt + changeShownMs),
    ),
  )
  return () => {
    stop()
    clearTimeout(timer)
  }
}
