import type { Context } from 'hono'
import { isKeyExpired } from '../../shared/rules/accounts/api-key.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { tokenHash } from '../auth/secrets.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import { type KeyCaller, toSessionUser } from '../http/session.ts'
import { isApiKey } from './api-key.ts'
import { findKey, recordKeyUse } from './queries.ts'

/**
 * Returns a function that finds the owner of an API key with one query. Records the use of the key,
 * at most once a minute.
 * @throws {AppError} UNAUTHORIZED if the key is malformed, unknown, revoked or expired.
 */
export function createKeyReader({ clock, db }: Pick<Deps, 'clock' | 'db'>) {
  return async (context: Context<HttpEnv>, text: string): Promise<KeyCaller> => {
    const found = isApiKey(text) ? await findKey(db, tokenHash(text)) : undefined
    const now = clock()
    if (!found || isKeyExpired(found.key, now)) {
      throw new AppError('UNAUTHORIZED', { message: 'This API key is wrong, revoked or expired.' })
    }
    const { id, lastUsedAt, scopes } = found.key
    if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= minuteInMs) {
      // On a full disk the key stays valid, although its use can't be recorded, so that programs
      // can still delete files.
      await recordKeyUse(db, { id, lastUsedAt }, now).catch((error: unknown) =>
        context.get('log').warn({ err: error }, 'the use of an API key was not recorded'),
      )
    }
    return { id, user: toSessionUser(found.user, now), scopes }
  }
}
