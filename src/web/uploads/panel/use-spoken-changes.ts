import { useEffect, useRef, useState } from 'react'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { spokenChange } from './spoken-change.ts'

/** All changes within this time are announced in one sentence. */
const gatherMs = 1000

/**
 * Returns the sentence for screen readers about the latest changes of uploads; see `spokenChange`.
 */
export function useSpokenChanges(
  records: readonly UploadRecord[],
  told: readonly UploadStatus[],
): string {
  const [spoken, setSpoken] = useState('')
  const heard = useRef(records)
  const latest = useRef(records)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    latest.current = records
    if (timer.current !== undefined) return
    if (spokenChange(heard.current, records, told) === null) {
      heard.current = records
      return
    }
    timer.current = setTimeout(() => {
      timer.current = undefined
      const sentence = spokenChange(heard.current, latest.current, told)
      heard.current = latest.current
      if (sentence !== null) setSpoken(sentence)
    }, gatherMs)
  }, [records, told])

  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return spoken
}
