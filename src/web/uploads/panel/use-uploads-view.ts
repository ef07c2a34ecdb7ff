import { useEffect, useState } from 'react'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'

/** Spec §9: the panel refreshes every second. */
const progressShownMs = 1000
/** Other changes are shown sooner. Several in this time are shown together. */
const changeShownMs = 100

/** True if nothing but progress differs between two states. */
function onlyProgressed(before: UploadsState, after: UploadsState): boolean {
  return (
    before.records.length === after.records.length &&
    before.elsewhere.size === after.elsewhere.size &&
    before.records.every((record, index) => {
      const next = after.records[index]
      return (
        record.id === next?.id &&
        record.status === next.status &&
        record.need === next.need &&
        record.error === next.error
      )
    })
  )
}

/** Returns the uploads as the panel shows them. Without changes no timer runs. */
export function useUploadsView(store: UploadsStore): UploadsState {
  const [shown, setShown] = useState(store.getState)
  useEffect(() => {
    let last = store.getState()
    let timer: ReturnType<typeof setTimeout> | undefined
    let dueAt = Number.POSITIVE_INFINITY
    setShown(last)
    const show = () => {
      dueAt = Number.POSITIVE_INFINITY
      last = store.getState()
      setShown(last)
    }
    const stop = store.subscribe((next) => {
      const waitMs = onlyProgressed(last, next) ? progressShownMs : changeShownMs
      if (performance.now() + waitMs >= dueAt) return
      clearTimeout(timer)
      dueAt = performance.now() + waitMs
      timer = setTimeout(show, waitMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [store])
  return shown
}
