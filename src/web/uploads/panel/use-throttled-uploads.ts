import { useEffect, useState } from 'react'
import { browserTimers, throttle } from '../timers.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'

/** Spec §9: the panel refreshes every second. */
const progressIntervalMs = 1000
/** Throttles changes other than progress. */
const changeIntervalMs = 100

/** Everything that the panel shows of the uploads, except their progress. */
function describeStates({ records, otherTabIds }: UploadsState): string {
  const states = records.map(({ id, status, need, error }) => [id, status, need, error])
  return JSON.stringify([states, otherTabIds.size])
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
      if (describeStates(before) === describeStates(current)) updateProgress()
      else updateChanges()
    })
  }, [store])
  return visibleState
}
