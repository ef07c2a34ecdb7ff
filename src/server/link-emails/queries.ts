import { and, asc, eq, gt, lte } from 'drizzle-orm'
import { linkEmailRetentionMs } from '../../shared/rules/links/link-emails.ts'
import { emailOptOuts, linkEmails, links, users } from '../db/schema.ts'
import { deleteInBatches } from '../db/sql.ts'
import type { Db } from '../deps.ts'

/** Returns when an owner's emails since `since` were requested, in ascending order. */
export async function listSendingTimes(tx: Db, ownerId: string, since: Date): Promise<Date[]> {
  const rows = await tx
    .select({ at: linkEmails.createdAt })
    .from(linkEmails)
    .where(and(eq(linkEmails.ownerId, ownerId), gt(linkEmails.createdAt, since)))
    .orderBy(asc(linkEmails.createdAt))
  return rows.map(({ at }) => at)
}

/** Inserts the emails whose ids are new. Returns these ids. */
export async function insertLinkEmails(
  tx: Db,
  emails: (typeof linkEmails.$inferInsert)[],
): Promise<string[]> {
  const rows = await tx
    .insert(linkEmails)
    .values(emails)
    .onConflictDoNothing()
    .returning({ id: linkEmails.id })
  return rows.map(({ id }) => id)
}

/** Finds an email with its sender and its link, if both still exist. */
export async function findLinkEmail(db: Db, id: string) {
  const [row] = await db
    .select({
      email: linkEmails.email,
      message: linkEmails.message,
      shortCode: links.shortCode,
      sender: { name: users.name, email: users.email },
    })
    .from(linkEmails)
    .innerJoin(links, eq(links.id, linkEmails.linkId))
    .innerJoin(users, eq(users.id, linkEmails.ownerId))
    .where(eq(linkEmails.id, id))
  return row
}

/** Records that an email could not be delivered. Ignores ids of other emails. */
export async function markUndelivered(db: Db, id: string, failedAt: Date): Promise<void> {
  await db.update(linkEmails).set({ failedAt }).where(eq(linkEmails.id, id))
}

/** Removes the oldest emails. Returns how many. */
export function removeOldLinkEmails(db: Db, now: Date): Promise<number> {
  const cutoff = new Date(now.getTime() - linkEmailRetentionMs)
  return deleteInBatches(db, linkEmails.id, lte(linkEmails.createdAt, cutoff))
}

/** @param address a keyed hash, as in `opt-out.ts`. */
export async function insertOptOut(db: Db, address: string, createdAt: Date): Promise<void> {
  await db.insert(emailOptOuts).values({ address, createdAt }).onConflictDoNothing()
}

/** @param address a keyed hash, as in `opt-out.ts`. */
export async function hasOptedOut(db: Db, address: string): Promise<boolean> {
  return (await db.$count(emailOptOuts, eq(emailOptOuts.address, address))) > 0
}
