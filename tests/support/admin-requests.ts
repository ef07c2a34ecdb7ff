import type { Client } from './make.ts'

/** Sends a request to delete a user, optionally with a JSON body. */
export function requestUserDeletion(admin: Client, id: string, body?: unknown): Promise<Response> {
  const path = `/api/admin/users/${encodeURIComponent(id)}`
  if (body === undefined) return admin.fetch(path, { method: 'DELETE' })
  const headers = { 'content-type': 'application/json' }
  return admin.fetch(path, { method: 'DELETE', headers, body: JSON.stringify(body) })
}
