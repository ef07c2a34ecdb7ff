import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { createKey, revokeKey } from './change-keys.ts'
import { listKeys } from './queries.ts'

/** Routes for a user's API keys. */
export function keyRoutes(deps: Pick<Deps, 'clock' | 'db' | 'rateLimits'>) {
  return {
    listKeys: ({ user }) => listKeys(deps.db, user.id),
    createKey: ({ body, user, clientAddress }) =>
      createKey(deps, { userId: user.id, address: clientAddress }, body),
    async revokeKey({ params, user, clientAddress }) {
      await revokeKey(deps, { userId: user.id, address: clientAddress }, params.id)
      return { message: 'API key revoked' }
    },
  } satisfies Partial<Handlers>
}
