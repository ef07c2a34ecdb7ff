import { and, eq, gt } from 'drizzle-orm'
import { type EmailKind, emailLimits } from '../../shared/rules/accounts/email-limits.ts'
import { lockAddress } from '../auth/queries.ts'
import { sentEmails } from '../db/schema.ts'
import type { Deps } from '../deps.ts'

/**
 * Counts an email, unless its address has already got as many of this kind as the limit allows.
 * Emails to one address wait for each other here, so they can't exceed the limit together.
 * @param email `id` is the same for every attempt to send the email, which counts once.
 */
export function admitEmail(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  { id, kind, address }: { id: string; kind: EmailKind; address: string },
): Promise<boolean> {
  const email = address.toLowerCase()
  const { max, windowMs } = emailLimits[kind]
  return db.transaction(async (tx) => {
    await lockAddress(tx, email)
    if ((await tx.$count(sentEmails, eq(sentEmails.id, id))) > 0) return true
    const now = clock()
    const isCounted = and(
      eq(sentEmails.email, email),
      eq(sentEmails.kind, kind),
      gt(sentEmails.sentAt, new Date(now.getTime() - windowMs)),
    )
    if ((await tx.$count(sentEmails, isCounted)) >= max) return false
    await tx.insert(sentEmails).values({ id, email, kind, sentAt: now })
    return true
  })
}
