import { useMemo, useSyncExternalStore } from 'react'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'
import { followUploads } from './follow-uploads.ts'

/** Returns the uploads as the panel shows them. `followUploads` says how often they are read. */
export function useUploadsView(store: UploadsStore): UploadsState {
  const view = useMemo(() => {
    let held = store.getState()
    return {
      held: () => held,
      follow: (changed: () => void) => {
        held = store.getState()
        return followUploads(store, (state) => {
          held = state
          changed()
        })
      },
    }
  }, [store])
  return useSyncExternalStore(view.follow, view.held)
}
