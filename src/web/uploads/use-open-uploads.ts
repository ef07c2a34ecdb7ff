import { useStore } from 'zustand'
import { isOver } from './records/upload-record.ts'
import type { UploadsStore } from './uploads-state.ts'

/**
 * Returns whether any upload of the user is open in this browser. The last upload counts as open
 * until its outcome has left the page, because the list of files may have it only then.
 */
export function useHasOpenUploads(store: UploadsStore): boolean {
  return useStore(store, ({ records, outcome }) => outcome !== null || !records.every(isOver))
}
