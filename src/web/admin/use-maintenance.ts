import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { maintenanceKey } from './refresh.ts'

/**
 * Loads the newest line that each maintenance action has left in the audit log. It loads again each
 * time the page is opened.
 */
export function useMaintenance() {
  return useQuery({
    queryKey: [maintenanceKey],
    queryFn: ({ signal }) => call('listMaintenance', { signal }),
    refetchOnMount: 'always',
  })
}
