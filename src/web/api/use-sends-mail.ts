import { useQuery } from '@tanstack/react-query'
import { signInWaysQuery } from './use-sign-in-ways.ts'

/**
 * Returns whether this server sends mail; undefined until it is known. Without a mail server, each
 * email goes to a file that only the operator reads. So no page may promise an email there.
 */
export function useSendsMail(): boolean | undefined {
  return useQuery(signInWaysQuery).data?.sendsMail
}
