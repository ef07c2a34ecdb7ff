import { sql } from 'drizzle-orm'
import type { Deps } from '../deps.ts'
import { findAdministrator, findUserId, makeAdministrator } from './queries.ts'

/** A fixed number, chosen at random, that stands for this one lock in the database. */
const administratorLock = 7_226_114

/**
 * Makes sure that the one administrator exists, also when several servers start at the same time.
 * @param password is called only when the account is made.
 * @returns whether the account was made now, and its address.
 */
export async function ensureAdministrator(
  { auth, config, db }: Pick<Deps, 'auth' | 'config' | 'db'>,
  password: () => Promise<string>,
): Promise<{ created: boolean; email: string }> {
  return db.transaction(async (lock) => {
    await lock.execute(sql`select pg_advisory_xact_lock(${administratorLock})`)
    const existing = await findAdministrator(db)
    if (existing) return { created: false, email: existing.email }

    const email = config.adminEmail
    const created = (await findUserId(db, email)) === null
    if (created) {
      await auth.api.signUpEmail({
        body: {
          email,
          password: await password(),
          name: 'Administrator',
          firstName: 'Administrator',
          lastName: '',
        },
      })
    }
    await makeAdministrator(db, email)
    return { created, email }
  })
}
