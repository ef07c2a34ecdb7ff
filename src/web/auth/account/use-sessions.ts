import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { SessionView } from '../../../shared/contract/own-account.ts'
import { ApiError, call } from '../../api/call.ts'
import { toast } from '../../ui/toast.tsx'
import { tellUnlessSignedOut } from '../use-auth-form.ts'

/**
 * The query for the user's sessions. Each visit reads it again, because people expect the current
 * list.
 */
export const sessionsQuery = queryOptions({
  queryKey: ['/api/auth/sessions'],
  queryFn: ({ signal }) => call('listSessions', { signal }),
  refetchOnMount: 'always',
})

/** Returns the user's sessions. Each visit asks for them anew. */
export function useSessions() {
  return useQuery(sessionsQuery)
}

/** Returns the name of a session for people. */
export function sessionName({ browser }: SessionView): string {
  return browser ?? 'Unknown browser'
}

/** Ends one of the user's sessions. If it has ended already, this is a success too. */
export function useEndSession() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async ({ id }: SessionView) => {
      try {
        await call('endSession', { params: { id } })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'SESSION_NOT_FOUND')) throw error
      }
    },
    onSuccess: (_, session) => {
      refresh((all) => all.filter(({ id }) => id !== session.id))
      toast({ title: 'Signed out', description: sessionName(session) })
    },
    onError: tell,
  })
}

/** Ends all of the user's sessions except this one. */
export function useEndOtherSessions() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call('endOtherSessions'),
    onSuccess: ({ message }) => {
      refresh((all) => all.filter(({ isCurrent }) => isCurrent))
      toast({ title: message })
    },
    onError: tell,
  })
}

/** Returns a function that changes the shown list immediately, and then reads it again. */
function useRefresh() {
  const client = useQueryClient()
  return (change: (sessions: SessionView[]) => SessionView[]) => {
    client.setQueryData(sessionsQuery.queryKey, (sessions) => sessions && change(sessions))
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  }
}

function tell(error: unknown): void {
  tellUnlessSignedOut(error, 'Sign out failed', 'Failed to end the session. Please try again.')
}
