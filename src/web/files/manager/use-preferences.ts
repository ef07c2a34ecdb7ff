import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Preferences } from '../../../shared/rules/accounts/preferences.ts'
import { call } from '../../api/call.ts'
import { showFailure } from '../../api/show-failure.ts'

const preferencesQuery = queryOptions({
  queryKey: ['/api/preferences'],
  queryFn: ({ signal }): Promise<Preferences> => call('GET /api/preferences', { signal }),
})

/** Loads the user's File Manager settings unless `enabled` is false. */
export function usePreferences(enabled = true) {
  return useQuery({ ...preferencesQuery, enabled })
}

/**
 * Saves settings with an optimistic update. On failure, shows a toast and reloads the settings,
 * because the server may have saved them before the response was lost.
 */
export function useChangePreferences() {
  const client = useQueryClient()
  const { queryKey } = preferencesQuery
  return useMutation({
    // Sends changes one at a time so that the last one wins.
    scope: { id: 'preferences' },
    mutationFn: (changes: Partial<Preferences>) =>
      call('PATCH /api/preferences', { body: changes }),
    onMutate: (changes) => {
      client.setQueryData(
        queryKey,
        (cachedPreferences) => cachedPreferences && { ...cachedPreferences, ...changes },
      )
    },
    onError: (error) => {
      void client.invalidateQueries({ queryKey })
      showFailure(error, 'Error', 'Failed to save the setting. Please try again.')
    },
  }).mutate
}
