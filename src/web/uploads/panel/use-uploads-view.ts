import { useEffect, useState } from 'react'
import { browserTimers, coalesce } from '../timers.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'

/** Spec §9: the panel refreshes every second. */
const progressShownMs = 1000
/** Coalescing interval of changes other than progress. */
const changeShownMs = 100

/** True if two states differ only in progress. */
function onlyProgressed(before: UploadsState, after: UploadsState): boolean {
  return (
    before.records.length === after.records.length &&
    before.idsInOtherTabs.size === after.idsInOtherTabs.size &&
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

/** Returns the uploads with throttled updates for the panel. No timer runs without changes. */
export function useUploadsView(store: UploadsStore): UploadsState {
  const [shown, setShown] = useState(store.getState)
  useEffect(() => {
    const show = () => setShown(store.getState())
    const showProgress = coalesce(browserTimers, progressShownMs, show)
    const showChange = coalesce(browserTimers, changeShownMs, show)
    show()
    return store.subscribe((next, before) => {
      if (onlyProgressed(before, next)) showProgress()
      else showChange()
    })
  }, [store])
  return shown
}
