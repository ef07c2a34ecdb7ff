import type { Client } from './make.ts'

/** Requests that a user's own account be deleted. */
export function requestAccountDeletion(
  owner: Client,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return owner.fetch('/api/auth/user', {
    method: 'DELETE',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
