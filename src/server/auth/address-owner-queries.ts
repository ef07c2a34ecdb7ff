/** The SQL for whoever has proved to own a mail address, by a letter or by an issuer. */
import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { accounts, accountTokens, pendingSignups, sessions, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { fullName } from './full-name.ts'

/** A person with an address (in lower case) that is proved to be that person's. */
export interface AddressOwner {
  email: string
  firstName: string
  lastName: string
  /** The address of a picture; null where there is none. */
  picture: string | null
}

/** An arbitrary fixed number that tells locks of addresses from other locks of two numbers. */
const addressLocks = 7_226_115

/**
 * Locks a mail address (in lower case) until the transaction ends, whether or not it has an
 * account. Whoever makes an account for a proved address takes this lock before any row of it, so
 * that nobody waits in a ring.
 */
export async function lockAddress(tx: Db, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${addressLocks}, hashtext(${email}))`)
}

/**
 * Makes a user whose address is verified. Returns the id, or null where somebody has the address
 * already.
 */
export async function insertVerifiedUser(
  tx: Db,
  { email, ...person }: AddressOwner,
  now: Date,
): Promise<string | null> {
  const made = await tx
    .insert(users)
    .values({ id: randomUUID(), email, ...columnsOf(person, now), createdAt: now })
    .onConflictDoNothing()
    .returning({ id: users.id })
  return made[0]?.id ?? null
}

/**
 * Gives an account that nobody verified to the owner of its address. It gets the owner's names and
 * picture, and loses every session, every way to sign in, and what letters let their readers do.
 */
export async function handOverUser(
  tx: Db,
  userId: string,
  owner: AddressOwner,
  now: Date,
): Promise<void> {
  await tx.update(users).set(columnsOf(owner, now)).where(eq(users.id, userId))
  await tx.delete(accounts).where(eq(accounts.userId, userId))
  await tx.delete(accountTokens).where(eq(accountTokens.userId, userId))
  await tx.delete(sessions).where(eq(sessions.userId, userId))
}

/**
 * Makes all signups void that wait for this address (in lower case), with their letters. Every way
 * to verify an address calls this in its transaction.
 */
export async function removePendingSignups(tx: Db, email: string): Promise<void> {
  await tx.delete(pendingSignups).where(eq(pendingSignups.email, email))
}

function columnsOf({ firstName, lastName, picture }: Omit<AddressOwner, 'email'>, updatedAt: Date) {
  const name = fullName({ firstName, lastName })
  return { firstName, lastName, name, image: picture, emailVerified: true, updatedAt }
}
