import { useQuery } from '@tanstack/react-query'
import type { SignupPolicy } from '../../shared/rules/signup-policy.ts'
import { call } from '../api/call.ts'

/**
 * Returns who can sign up here; undefined until it is known. Where it cannot be asked, everybody is
 * let to the form: the server decides in the end.
 */
export function useSignupPolicy(): SignupPolicy | undefined {
  const { data, isError } = useQuery({
    queryKey: ['/api/settings/signup'],
    queryFn: ({ signal }) => call('signupPolicy', { signal }),
  })
  return isError ? 'open' : data?.signup
}
