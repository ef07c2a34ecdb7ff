import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { limitKeys, readLimits } from '../../shared/rules/tiers/limit-settings.ts'
import { call } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { limitsQuery } from '../api/use-limits.ts'
import type { LimitSetting } from './limit-texts.ts'
import { limitsKey, refreshAfterAct } from './refresh.ts'
import { tellUnsaved } from './tell-unsaved.ts'

/**
 * The query for the limits, the caps and what is in use. It loads again each time the page is
 * opened.
 */
const limitSettingsQuery = queryOptions({
  queryKey: [limitsKey],
  queryFn: ({ signal }) => call('adminLimits', { signal }),
  refetchOnMount: 'always',
})

/** Returns the limits, the caps and what is in use. Each visit asks for them anew. */
export function useLimitSettings() {
  return useQuery(limitSettingsQuery)
}

interface Change {
  key: LimitSetting
  value: string
  /** Is called with the server's message if the server refuses the value. */
  onRefused: (fault: string) => void
}

/**
 * Returns a mutation that saves a limit or a cap. Other open parts of the page show the new value
 * at once.
 */
export function useSaveLimit() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ key, value }: Change) => call('changeSetting', { body: { key, value } }),
    onSuccess: ({ value }, { key }) => {
      const known = client.getQueryData(limitSettingsQuery.queryKey)
      if (known) {
        const values = { ...known.values, [key]: value }
        client.setQueryData(limitSettingsQuery.queryKey, { ...known, values })
        if (limitKeys.some((one) => one === key)) {
          client.setQueryData(limitsQuery.queryKey, readLimits(values))
        }
      }
      // This also reloads the figures of this section, such as the free space to leave.
      refreshAfterAct(client)
      // The page already has the new limits. This call only replaces the answer that the browser's
      // cache keeps for 5 minutes.
      call('limits', { fresh: true }).catch(() => undefined)
    },
    onError: (error, { onRefused }) => {
      if (saysSignedOut(error)) return
      const isRefused = tellUnsaved('Failed to update limit', error, onRefused)
      // The server may have refused the value because of another limit that somebody has changed
      // elsewhere. So the page reads all limits again.
      if (isRefused) void client.invalidateQueries({ queryKey: limitSettingsQuery.queryKey })
    },
  })
}
