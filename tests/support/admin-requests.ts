import type { Client } from './make.ts'

/** Sends a request that deletes a user, with a JSON body or none. */
export function askToDeleteUser(admin: Client, id: string, body?: unknown): Promise<Response> {
  const path = `/api/admin/users/${encodeURIComponent(id)}`
  if (body === undefined) return admin.fetch(path, { method: 'DELETE' })
  const headers = { 'content-type': 'application/json' }
  return admin.fetch(path, { method: 'DELETE', headers, body: JSON.stringify(body) })
}
