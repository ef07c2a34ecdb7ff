import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Preferences } from '../../../shared/rules/accounts/preferences.ts'
import { call } from '../../api/call.ts'
import { showFailure } from '../../api/show-failure.ts'

const preferencesQuery = queryOptions({
  queryKey: ['/api/preferences'],
  queryFn: ({ signal }): Promise<Preferences> => call('preferences', { signal }),
})

/** Reads the user's settings of the File Manager. The server is asked only if `enabled`. */
export function usePreferences(enabled = true) {
  return useQuery({ ...preferencesQuery, enabled })
}

/**
 * Changes settings and shows the change immediately. A failure is shown in a toast. The settings
 * are then read again, because the change may have been saved although the answer was lost.
 */
export function useChangePreferences() {
  const client = useQueryClient()
  const { queryKey } = preferencesQuery
  return useMutation({
    // Changes are sent one after another, so that the last one wins.
    scope: { id: 'preferences' },
    mutationFn: (changes: Partial<Preferences>) => call('changePreferences', { body: changes }),
    onMutate: (changes) => {
      client.setQueryData(queryKey, (known) => known && { ...known, ...changes })
    },
    onError: (error) => {
      void client.invalidateQueries({ queryKey })
      showFailure(error, 'Error', 'Failed to save the setting. Please try again.')
    },
  }).mutate
}
