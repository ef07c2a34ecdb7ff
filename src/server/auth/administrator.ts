import { sql } from 'drizzle-orm'
import type { Role } from '../../shared/rules/accounts/role.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { findAdministrator, findUserId, makeAdministrator } from './queries.ts'

/**
 * The key of the lock that `ensureAdministrator` takes. Any number works, as long as no other lock
 * uses it.
 */
const administratorLock = 7_226_114

/**
 * Makes sure that the one administrator exists, also when several servers start at the same time.
 * The audit log records that the account got this role. The entry names no actor, because the
 * server itself did it.
 * @param password is called only when the account is made.
 * @returns whether the account was made now, and its address.
 */
export async function ensureAdministrator(
  { auth, clock, config, db }: Pick<Deps, 'auth' | 'clock' | 'config' | 'db'>,
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
    // These statements run in the transaction `lock`. So the role and its entry in the audit log
    // are written together or not at all.
    const subject = await makeAdministrator(lock, email)
    if (subject === null) throw new Error(`the account ${email} was made and is not there`)
    const details = { from: 'user', to: 'admin' } satisfies Record<string, Role>
    await writeAudit(lock, [
      { at: clock(), actor: null, action: 'set-role', subject, ipAddress: null, details },
    ])
    return { created, email }
  })
}
