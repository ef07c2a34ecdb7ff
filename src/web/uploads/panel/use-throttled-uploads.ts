import { useEffect, useState } from 'react'
import { browserTimers, throttle } from '../timers.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'

/** Spec §9: the panel refreshes every second. */
const progressIntervalMs = 1000
/** Throttles changes other than progress. */
const changeIntervalMs = 100

function isProgressOnlyChange(before: UploadsState, after: UploadsState): boolean {
  return (
    before.records.length === after.records.length &&
    before.otherTabIds.size === after.otherTabIds.size &&
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

/**
 * Returns the uploads with throttled updates for the panel. No timer runs while nothing changes.
 */
export function useThrottledUploads(store: UploadsStore): UploadsState {
  const [visibleState, setShown] = useState(store.getState)
  useEffect(() => {
    const update = () => setShown(store.getState())
    const updateProgress = throttle(browserTimers, progressIntervalMs, update)
    const updateChanges = throttle(browserTimers, changeIntervalMs, update)
    update()
    return store.subscribe((current, before) => {
      if (isProgressOnlyChange(before, current)) updateProgress()
      else updateChanges()
    })
  }, [store])
  return visibleState
}
