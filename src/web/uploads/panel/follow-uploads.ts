import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'

/** Progress is shown once in this time. */
export const refreshMs = 1000
/** Changes other than progress are collected for this time and then shown together. */
export const changeShownMs = 100

function sameBut(before: UploadRecord, after: UploadRecord): boolean {
  return (
    before === after ||
    (before.id === after.id &&
      before.status === after.status &&
      before.need === after.need &&
      before.error === after.error)
  )
}

function onlyProgressed(before: UploadsState, after: UploadsState): boolean {
  return (
    before.records.length === after.records.length &&
    before.records.every((record, at) => sameBut(record, after.records[at] as UploadRecord))
  )
}

/**
 * Calls `show` with the state of the uploads: once a second for progress, within 100 ms for any
 * other change. Without changes no timer runs. Returns a function that stops this.
 */
export function followUploads(
  store: UploadsStore,
  show: (state: UploadsState) => void,
): () => void {
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
