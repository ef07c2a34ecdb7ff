/**
 * The SQL for people who have proved that a mail address is theirs, by the link in an email or by
 * an issuer such as Google.
 */
import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { accounts, accountTokens, pendingSignups, sessions, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { fullName } from './full-name.ts'

/** A person who has proved that this address (in lower case) is theirs. */
export interface AddressOwner {
  email: string
  firstName: string
  lastName: string
  /** The URL of a picture; null where there is none. */
  picture: string | null
}

/**
 * The first key of every lock that `lockAddress` takes. Any number works, as long as no other lock
 * with two keys uses it.
 */
const addressLocks = 7_226_115

/**
 * Locks a mail address (in lower case) until the transaction ends, even if no account has it. Code
 * that makes an account for a proved address takes this lock before it locks any row. Otherwise two
 * transactions could wait for each other.
 */
export async function lockAddress(tx: Db, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${addressLocks}, hashtext(${email}))`)
}

/**
 * Makes a user whose address is verified. Returns the id, or null if another user already has the
 * address.
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
 * Gives an account whose address nobody has verified to the owner of that address. The account gets
 * the owner's name and picture. All its sessions and ways to sign in are removed, and links in
 * earlier emails stop working.
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
 * Removes all waiting signups for this address (in lower case), so that the links in their emails
 * stop working. Every way to verify an address calls this in its transaction.
 */
export async function removePendingSignups(tx: Db, email: string): Promise<void> {
  await tx.delete(pendingSignups).where(eq(pendingSignups.email, email))
}

function columnsOf({ firstName, lastName, picture }: Omit<AddressOwner, 'email'>, updatedAt: Date) {
  const name = fullName({ firstName, lastName })
  return { firstName, lastName, name, image: picture, emailVerified: true, updatedAt }
}
