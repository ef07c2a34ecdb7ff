import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { limitKeys, readLimits } from '../../shared/rules/limit-settings.ts'
import { ApiError, call } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { limitsQuery } from '../api/use-limits.ts'
import { toast } from '../ui/toast.tsx'
import { faultText } from './fault-text.ts'
import type { LimitSetting } from './limit-texts.ts'
import { refreshAfterAct } from './refresh.ts'

/** The query for limits and caps, and for what is in use. Each visit reads them again. */
const limitSettingsQuery = queryOptions({
  queryKey: ['/api/admin/limits'],
  queryFn: ({ signal }) => call('adminLimits', { signal }),
  refetchOnMount: 'always',
})

export function useLimitSettings() {
  return useQuery(limitSettingsQuery)
}

interface Change {
  key: LimitSetting
  value: string
  /** Called with the server's sentence if it refuses the value. */
  onRefused: (fault: string) => void
}

/** Returns the function that saves a limit or a cap. Every screen of this browser shows it at once. */
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
      // What is in use, and how much uploads leave free, may be other figures now.
      void client.invalidateQueries({ queryKey: limitSettingsQuery.queryKey })
      refreshAfterAct(client)
      // This only renews what the browser keeps for 5 minutes. The limits are known already.
      call('limits', { fresh: true }).catch(() => undefined)
    },
    onError: (error, { onRefused }) => {
      if (saysSignedOut(error)) return
      toast({ title: 'Failed to update limit', description: faultText(error), tone: 'destructive' })
      if (error instanceof ApiError && error.code === 'INVALID_INPUT') onRefused(faultText(error))
    },
  })
}
