import type { KeyView } from '../../src/shared/contract/keys.ts'
import { keyScopes } from '../../src/shared/rules/accounts/api-key.ts'
import { type Client, expectOk, json } from './make.ts'

/** Creates an API key, by default with all scopes. */
export async function makeKey(
  owner: Client,
  changes: Record<string, unknown> = {},
): Promise<KeyView & { key: string }> {
  const response = await owner.post('/api/keys', { name: 'Backup', scopes: keyScopes, ...changes })
  await expectOk(response)
  return json(response)
}

export async function listKeys(owner: Client): Promise<KeyView[]> {
  return json(await owner.fetch('/api/keys'))
}

export function revokeKey(owner: Client, id: string): Promise<Response> {
  return owner.fetch(`/api/keys/${id}`, { method: 'DELETE' })
}

/** Returns a client that sends an API key, and the cookies of `client`. */
export function withKey(client: Client, key: string): Client {
  return withAuthorization(client, `Bearer ${key}`)
}

/** Returns a client that sends this header, and the cookies of `client`. */
export function withAuthorization(client: Client, authorization: string): Client {
  const send: Client['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', authorization)
    return client.fetch(path, { ...init, headers })
  }
  const headers = { 'content-type': 'application/json' }
  return {
    fetch: send,
    post: (path, body) => send(path, { method: 'POST', headers, body: JSON.stringify(body) }),
  }
}
