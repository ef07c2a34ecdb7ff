import { useEffect, useState, useSyncExternalStore } from 'react'
import type { UploadRecord } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { type AutoFold, createAutoFold } from './auto-fold.ts'

/** Returns whether the panel is folded to its header, and the `AutoFold` that decides it. */
export function useAutoFold(records: readonly UploadRecord[]): [boolean, AutoFold] {
  const [fold] = useState(() => createAutoFold(browserTimers, records))
  useEffect(() => fold.show(records), [fold, records])
  useEffect(() => fold.stop, [fold])
  return [useSyncExternalStore(fold.follow, fold.isFolded), fold]
}
