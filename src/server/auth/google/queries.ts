import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { SignInMethod } from '../../../shared/contract/own-account.ts'
import { accounts, users } from '../../db/schema.ts'
import type { Db } from '../../deps.ts'
import { providers } from '../queries.ts'

/**
 * Locks a Google subject (the issuer's id for a user) until the transaction ends, so that only one
 * of several parallel requests creates or links an account.
 */
export async function lockSubject(tx: Db, subject: string): Promise<void> {
  const name = `google subject ${subject}`
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`)
}

/** Returns the id of the user linked to the subject, or null. */
export async function findLinkedUser(db: Db, subject: string): Promise<string | null> {
  const [row] = await db
    .select({ userId: accounts.userId })
    .from(accounts)
    .where(and(eq(accounts.providerId, providers.google), eq(accounts.accountId, subject)))
  return row?.userId ?? null
}

/** Lists an account's sign-in methods. `since` is when a method was set up or last changed. */
export async function listSignInWays(
  db: Db,
  userId: string,
): Promise<{ way: SignInMethod; since: Date }[]> {
  const rows = await db
    .select({ provider: accounts.providerId, since: accounts.updatedAt })
    .from(accounts)
    .where(eq(accounts.userId, userId))
  const providerEntries = Object.entries(providers) as [SignInMethod, string][]
  return providerEntries.flatMap(([way, provider]) =>
    rows.filter((row) => row.provider === provider).map(({ since }) => ({ way, since })),
  )
}

/**
 * Links a subject to a user. Returns false if either is already linked, because each can have only
 * one link.
 */
export async function insertGoogleLink(
  tx: Db,
  link: { userId: string; subject: string; now: Date },
): Promise<boolean> {
  const { userId, subject, now } = link
  const insertedRows = await tx
    .insert(accounts)
    .values({
      id: randomUUID(),
      userId,
      accountId: subject,
      providerId: providers.google,
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing()
    .returning({ id: accounts.id })
  return insertedRows.length > 0
}

/**
 * Unlinks Google from a user and removes the user's picture. Returns false if Google isn't linked.
 */
export async function deleteGoogleLink(tx: Db, userId: string): Promise<boolean> {
  const deletedRows = await tx
    .delete(accounts)
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, providers.google)))
    .returning({ id: accounts.id })
  if (deletedRows.length === 0) return false
  await setPicture(tx, userId, null)
  return true
}

/** Sets a user's picture, or removes it if `picture` is null. */
export async function setPicture(tx: Db, userId: string, picture: string | null): Promise<void> {
  await tx.update(users).set({ image: picture }).where(eq(users.id, userId))
}
