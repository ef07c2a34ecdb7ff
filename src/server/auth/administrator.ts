import { sql } from 'drizzle-orm'
import type { Role } from '../../shared/rules/accounts/role.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { saltFor } from './password-hashing.ts'
import {
  findAccountByEmail,
  findAdministrator,
  insertUser,
  makeAdministrator,
  setPassword,
} from './queries.ts'

/** The key of the advisory lock that `ensureAdministrator` takes. Used for nothing else. */
const administratorLockKey = 7_226_114

const defaultProfile = { firstName: 'Administrator', lastName: '', picture: null }

/**
 * Makes the account of ADMIN_EMAIL the administrator if there is none yet. Creates the account if
 * necessary. Safe to call from several servers at once. The audit log records the new role without
 * an actor.
 * @param password called only if the account has to be created.
 * @returns whether the account was created, and the administrator's email address.
 */
export async function ensureAdministrator(
  {
    clock,
    config,
    db,
    passwords,
    secret,
  }: Pick<Deps, 'clock' | 'config' | 'db' | 'passwords' | 'secret'>,
  password: () => Promise<string>,
): Promise<{ created: boolean; email: string }> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${administratorLockKey})`)
    const existingAdmin = await findAdministrator(tx)
    if (existingAdmin) return { created: false, email: existingAdmin.email }

    const email = config.adminEmail
    const now = clock()
    const newUserId = await insertUser(
      tx,
      { email, ...defaultProfile },
      { emailVerified: true, now },
    )
    const userId = newUserId ?? (await findAccountByEmail(tx, email))?.id
    if (userId === undefined) throw new Error('the account of ADMIN_EMAIL was deleted meanwhile')
    if (newUserId !== null) {
      const hash = await passwords.hash(await password(), saltFor(secret, email), 'start')
      await setPassword(tx, newUserId, hash, now)
    }
    await makeAdministrator(tx, userId)
    const details = { from: 'user', to: 'admin' } satisfies Record<string, Role>
    await writeAudit(tx, [
      { at: now, actor: null, action: 'set-role', subject: userId, ipAddress: null, details },
    ])
    return { created: newUserId !== null, email }
  })
}
