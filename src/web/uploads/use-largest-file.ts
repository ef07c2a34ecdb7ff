import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { call } from '../api/call.ts'
import { failedForSpace } from './upload-errors.ts'
import type { UploadsStore } from './uploads-state.ts'

/**
 * The query for the largest file that the server has space for. A page that stays open asks every 5
 * minutes, and each minute while the server is short of space.
 */
const largestFileQuery = queryOptions({
  queryKey: ['/api/files/upload-room'],
  queryFn: ({ signal }) => call('uploadRoom', { signal }),
  staleTime: minuteInMs,
  refetchInterval: ({ state }) => (state.data?.largestFile == null ? 5 : 1) * minuteInMs,
})

/**
 * Returns the largest file in bytes that the server has space for now; null if it has space for
 * every file that the tier allows, or if the page does not know yet. The page asks again at once
 * when an upload is refused for want of space.
 */
export function useLargestFile(store: UploadsStore): number | null {
  const { data, refetch } = useQuery(largestFileQuery)
  const refusals = useStore(store, ({ records }) => records.filter(failedForSpace).length)
  const before = useRef(refusals)
  useEffect(() => {
    if (refusals > before.current) void refetch()
    before.current = refusals
  }, [refusals, refetch])
  return data?.largestFile ?? null
}
