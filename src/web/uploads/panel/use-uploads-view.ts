import { useMemo, useSyncExternalStore } from 'react'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'
import { followUploads } from './follow-uploads.ts'

/** The uploads as the panel shows them: see `followUploads` for how often they are looked at. */
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
