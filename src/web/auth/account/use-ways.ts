import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { signInWaysQuery } from '../../api/public-values.ts'
import { currentUserQuery } from '../../api/use-current-user.ts'
import { toast } from '../../ui/toast.tsx'
import { tellUnlessSignedOut } from '../use-auth-form.ts'
import { sessionsQuery } from './session-list.tsx'

/** The query for the ways to sign in to the account. */
export const ownWaysQuery = queryOptions({
  queryKey: ['/api/auth/user/ways'],
  queryFn: ({ signal }) => call('listOwnWays', { signal }),
  refetchOnMount: 'always',
})

/** Returns the ways to sign in to the account, and whether this server offers Google at all. */
export function useWays() {
  const own = useQuery(ownWaysQuery)
  const here = useQuery(signInWaysQuery)
  return {
    ways: own.data,
    hasGoogleHere: here.data?.google ?? false,
    isFailed: own.isError && !own.isFetching,
    retry: () => void own.refetch(),
  }
}

/** Removes Google from the account. The server also ends all other sessions of the account. */
export function useRemoveGoogle() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('unlinkGoogle'),
    onSuccess: ({ message }) => toast({ title: 'Google removed', description: message }),
    onError: (error) =>
      tellUnlessSignedOut(
        error,
        'Google not removed',
        'Failed to remove Google. Please try again.',
      ),
    onSettled: () => {
      for (const { queryKey } of [ownWaysQuery, sessionsQuery, currentUserQuery]) {
        void client.invalidateQueries({ queryKey })
      }
    },
  })
}

/**
 * Asks for the email with which an account without a password gets one.
 * @param mailWaits how the email reaches people if the server sends no mail; null if it sends mail.
 */
export function useRequestPasswordEmail(mailWaits: string | null) {
  return useMutation({
    mutationFn: (email: string) => call('forgotPassword', { body: { email } }),
    onSuccess: ({ message }) =>
      toast({
        title: 'Password reset email sent',
        description: mailWaits === null ? message : `${message} ${mailWaits}`,
      }),
    onError: (error) =>
      tellUnlessSignedOut(error, 'Error', 'Failed to send reset email. Please try again.'),
  })
}
