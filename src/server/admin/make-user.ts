import type { z } from 'zod'
import type { newUserBody } from '../../shared/contract/admin.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import { saltFor } from '../auth/password-hashing.ts'
import { insertUser, lockAddress, setPassword } from '../auth/queries.ts'
import { removePendingSignups } from '../auth/signup-queries.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { type SessionUser, toSessionUser } from '../http/session.ts'
import { findUser } from '../tiers/queries.ts'

/**
 * Creates an account, even if signup is closed (`SIGNUP=closed`). The email address counts as
 * verified, because the administrator chose it. Removes pending signups for this email address.
 * @throws {AppError} EMAIL_TAKEN; PASSWORDS_BUSY.
 */
export async function makeUser(
  {
    clock,
    config,
    db,
    passwords,
    secret,
  }: Pick<Deps, 'clock' | 'config' | 'db' | 'passwords' | 'secret'>,
  { email: typedEmail, firstName, lastName, password }: z.output<typeof newUserBody>,
  actor: Actor,
): Promise<SessionUser> {
  const email = typedEmail.toLowerCase()
  if (email === config.adminEmail) throw new AppError('EMAIL_TAKEN')
  // Hashing is slow, so it is done before the transaction takes a database connection.
  const clientBlock = addressBlock(actor.ipAddress)
  const passwordHash = await passwords.hash(password, saltFor(secret, email), clientBlock)
  return db.transaction(async (tx) => {
    await lockAddress(tx, email)
    const now = clock()
    const owner = { email, firstName, lastName, picture: null }
    const userId = await insertUser(tx, owner, { emailVerified: true, now })
    if (userId === null) throw new AppError('EMAIL_TAKEN')
    await setPassword(tx, userId, passwordHash, now)
    await removePendingSignups(tx, email)
    const entry = { action: 'make-user', subject: userId, details: {} } as const
    await writeAudit(tx, [adminEntry(actor, now, entry)])
    const user = await findUser(tx, userId)
    if (!user) throw new Error(`the user ${userId} is missing after its insertion`)
    return toSessionUser(user, now)
  })
}
