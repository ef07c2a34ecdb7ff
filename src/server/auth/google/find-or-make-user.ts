import { isSignupAllowed } from '../../../shared/rules/accounts/signup-policy.ts'
import { writeAudit } from '../../audit/audit-log.ts'
import type { Db, Deps } from '../../deps.ts'
import {
  handOverUser,
  insertVerifiedUser,
  lockAddress,
  removePendingSignups,
} from '../address-owner-queries.ts'
import { findAdministrator, findUserId, lockCredentials } from '../queries.ts'
import type { Identity } from './identity.ts'
import { linkEntry } from './link-entry.ts'
import { findLinkedUser, insertGoogle, lockSubject, setPicture } from './queries.ts'
import { SignInRefused } from './refusal.ts'

type UserDeps = Pick<Deps, 'clock' | 'config' | 'mailQueue'> & {
  /** The client's address. */
  address: string
}

/** A person whose address the issuer has verified. */
type Proven = Identity & { email: string }

/**
 * Returns the id of the user whom the issuer has identified. The user's row is locked until the
 * transaction ends. The user is, in this order:
 * 1. The user who is linked with the issuer's subject. Addresses do not matter then.
 * 2. The user who has the verified address. The account is linked with Google, and an email says
 *    so. If nobody had verified the account's address, the account is taken over: see `takeOver`.
 *    The administrator is never linked like this.
 * 3. A new user, if a signup with this address is allowed.
 * @throws {SignInRefused} google-no-address, google-unverified, google-not-linked, google-second,
 * google-no-signup; google-failed if the account changes during every round
 */
export async function findOrMakeUser(tx: Db, deps: UserDeps, identity: Identity): Promise<string> {
  await lockSubject(tx, identity.subject)
  // A round finds no user if, at the same moment, another request deletes the user or signs up with
  // this address. The next round sees what that request has changed.
  for (let round = 0; round < 3; round += 1) {
    const userId = await findLinked(tx, identity)
    if (userId !== null) return userId
    const proven = requireProven(identity)
    await lockAddress(tx, proven.email)
    const owner = (await linkOwner(tx, deps, proven)) ?? (await makeUser(tx, deps, proven))
    if (owner !== null) return owner
  }
  throw new SignInRefused('google-failed', 'the account changes all the time')
}

async function findLinked(tx: Db, { subject, picture }: Identity): Promise<string | null> {
  const userId = await findLinkedUser(tx, subject)
  if (userId === null || !(await lockCredentials(tx, userId))) return null
  // Google may have been removed from the account before its row was locked.
  if ((await findLinkedUser(tx, subject)) !== userId) return null
  if (picture !== null) await setPicture(tx, userId, picture)
  return userId
}

function requireProven(identity: Identity): Proven {
  const { email, emailVerified } = identity
  if (email === null) throw new SignInRefused('google-no-address')
  if (!emailVerified) throw new SignInRefused('google-unverified')
  return { ...identity, email }
}

/** Links the user who has the address with Google. Returns null if no user has it. */
async function linkOwner(tx: Db, deps: UserDeps, identity: Proven): Promise<string | null> {
  const { address, clock, mailQueue } = deps
  const { email, subject } = identity
  await requireNotAdministrator(tx, deps, email)
  const userId = await findUserId(tx, email)
  const account = userId === null ? undefined : await lockCredentials(tx, userId)
  if (account?.email !== email) return null

  const now = clock()
  if (!account.emailVerified) await takeOver(tx, account.userId, identity, now)
  const isLinked = await insertGoogle(tx, { userId: account.userId, subject, now })
  if (!isLinked) throw new SignInRefused('google-second')
  const tookOver = !account.emailVerified
  const by = tookOver ? 'taking-over' : 'address'
  await writeAudit(tx, [linkEntry({ userId: account.userId, address, now, by })])
  const linkedAt = now.toISOString()
  await mailQueue.add({ kind: 'google-linked', userId: account.userId, linkedAt, tookOver }, tx)
  return account.userId
}

/**
 * Refuses the administrator's address. The operator has chosen that address, so it is refused even
 * before the account exists.
 */
async function requireNotAdministrator(
  tx: Db,
  { config }: Pick<Deps, 'config'>,
  email: string,
): Promise<void> {
  const administrator = await findAdministrator(tx)
  if (email === config.adminEmail || email === administrator?.email) {
    throw new SignInRefused('google-not-linked', 'the administrator is not linked by itself')
  }
}

/**
 * Gives an account to the person who has proved to own its address. The person who registered the
 * account has proved nothing, and may have waited for the owner to use it. So that person's
 * password, tokens, sessions and name are removed, and waiting signups for the address too. The
 * files stay: usually both are the same person, and the server never loses a file that it has
 * accepted.
 */
async function takeOver(tx: Db, userId: string, identity: Proven, now: Date): Promise<void> {
  await handOverUser(tx, userId, identity, now)
  await removePendingSignups(tx, identity.email)
}

/** Makes a user. Returns null if another request has just made one with this address. */
async function makeUser(
  tx: Db,
  { clock, config }: UserDeps,
  identity: Proven,
): Promise<string | null> {
  if (!isSignupAllowed(config.signup, identity.email)) throw new SignInRefused('google-no-signup')
  const now = clock()
  const userId = await insertVerifiedUser(tx, identity, now)
  if (userId === null) return null
  await insertGoogle(tx, { userId, subject: identity.subject, now })
  await removePendingSignups(tx, identity.email)
  return userId
}
