import type { SignInError } from '../../../shared/rules/accounts/sign-in-error.ts'
import { isSignupAllowed } from '../../../shared/rules/accounts/signup-policy.ts'
import { ownEntry, writeAudit } from '../../audit/audit-log.ts'
import type { Db, Deps } from '../../deps.ts'
import {
  findAccountByEmail,
  findAdministrator,
  handOverUser,
  insertUser,
  lockAccount,
  lockAddress,
} from '../queries.ts'
import { openSession, type SessionClient } from '../sessions.ts'
import { removePendingSignups } from '../signup-queries.ts'
import type { Identity } from './identity.ts'
import { findLinkedUser, insertGoogleLink, lockSubject, setPicture } from './queries.ts'

interface GoogleClient {
  /** The client's IP address. */
  address: string
  sessionClient: SessionClient
  /** The token of the browser's previous session, or null. */
  previousToken: string | null
}

type UserDeps = Pick<Deps, 'clock' | 'config' | 'mailQueue'> & Pick<GoogleClient, 'address'>

/** An identity whose email address the issuer has verified. */
type VerifiedIdentity = Identity & { email: string }

/**
 * Opens a session for the identified user and ends the browser's previous one. Locks the user in
 * the same transaction, so requests that unlink Google, end sessions or delete the user can't run
 * concurrently.
 * @throws {SignInRejectedError} see `findOrCreateUser`.
 */
export function signInWithGoogle(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'mailQueue'>,
  identity: Identity,
  { address, sessionClient, previousToken }: GoogleClient,
): Promise<{ token: string; createdAt: Date }> {
  return deps.db.transaction(async (tx) => {
    const userId = await findOrCreateUser(tx, { ...deps, address }, identity)
    return openSession(tx, { userId, sessionClient, now: deps.clock() }, previousToken)
  })
}

/**
 * Returns the id of the identified user and locks the user's row. Uses the first of these that
 * applies:
 * 1. The user linked to the issuer's subject, regardless of email addresses.
 * 2. The user with the verified email address. The account is linked to Google, and its owner is
 * notified by email. If the address was unverified before, the account is handed over first. The
 * administrator is never linked this way.
 * 3. A new user, if the signup policy allows the email address.
 * @throws {SignInRejectedError} google-no-address, google-unverified, google-not-linked,
 * google-second, google-no-signup; google-failed if concurrent requests interfere with every round
 */
async function findOrCreateUser(tx: Db, deps: UserDeps, identity: Identity): Promise<string> {
  await lockSubject(tx, identity.subject)
  // A concurrent request may delete the user or sign up with the address in the middle of a round.
  // In that case the next round sees the new state.
  for (let round = 0; round < 3; round += 1) {
    const userId = await findLinked(tx, identity)
    if (userId !== null) return userId
    const verifiedIdentity = requireVerifiedEmail(identity)
    await lockAddress(tx, verifiedIdentity.email)
    const ownerId =
      (await linkExistingUser(tx, deps, verifiedIdentity)) ??
      (await createUser(tx, deps, verifiedIdentity))
    if (ownerId !== null) return ownerId
  }
  throw new SignInRejectedError('google-failed', 'the account changes all the time')
}

async function findLinked(tx: Db, { subject, picture }: Identity): Promise<string | null> {
  const userId = await findLinkedUser(tx, subject)
  if (userId === null || !(await lockAccount(tx, userId))) return null
  // Google may have been unlinked before the row was locked.
  if ((await findLinkedUser(tx, subject)) !== userId) return null
  if (picture !== null) await setPicture(tx, userId, picture)
  return userId
}

function requireVerifiedEmail(identity: Identity): VerifiedIdentity {
  const { email, emailVerified } = identity
  if (email === null) throw new SignInRejectedError('google-no-address')
  if (!emailVerified) throw new SignInRejectedError('google-unverified')
  return { ...identity, email }
}

/** Links Google to the user with this email address. Returns null if there is no such user. */
async function linkExistingUser(
  tx: Db,
  deps: UserDeps,
  identity: VerifiedIdentity,
): Promise<string | null> {
  const { address, clock, config, mailQueue } = deps
  const { email, subject } = identity
  const administrator = await findAdministrator(tx)
  // ADMIN_EMAIL is reserved even before the administrator's account exists.
  if (email === config.adminEmail || email === administrator?.email) {
    throw new SignInRejectedError('google-not-linked', 'the administrator is not linked by itself')
  }
  const accountBeforeLock = await findAccountByEmail(tx, email)
  const account = accountBeforeLock && (await lockAccount(tx, accountBeforeLock.id))
  if (account?.email !== email) return null

  const { id: userId } = account
  const now = clock()
  const isTakeover = !account.emailVerified
  if (isTakeover) {
    // The account's creator never proved ownership of the address, and may have prepared the
    // account to spy on the address's owner.
    await handOverUser(tx, userId, identity, now)
    await removePendingSignups(tx, email)
  }
  const isLinked = await insertGoogleLink(tx, { userId, subject, now })
  if (!isLinked) throw new SignInRejectedError('google-second')
  const by = isTakeover ? 'taking-over' : 'address'
  await writeAudit(tx, [
    ownEntry({ userId, address, now }, { action: 'link-google', details: { by } }),
  ])
  const linkedAt = now.toISOString()
  await mailQueue.add({ kind: 'google-linked', userId, linkedAt, tookOver: isTakeover }, tx)
  return userId
}

/**
 * Creates a user. Returns null if a concurrent request has just created one with this email
 * address.
 */
async function createUser(
  tx: Db,
  { clock, config }: UserDeps,
  identity: VerifiedIdentity,
): Promise<string | null> {
  if (!isSignupAllowed(config.signup, identity.email))
    throw new SignInRejectedError('google-no-signup')
  const now = clock()
  const userId = await insertUser(tx, identity, { emailVerified: true, now })
  if (userId === null) return null
  await insertGoogleLink(tx, { userId, subject: identity.subject, now })
  await removePendingSignups(tx, identity.email)
  return userId
}

/**
 * Thrown if a sign-in with Google is rejected. The browser is redirected to a page that shows the
 * reason.
 */
export class SignInRejectedError extends Error {
  readonly code: SignInError

  /** @param reason details for the operator, which are logged but not shown to the user. */
  constructor(code: SignInError, reason?: string, options?: ErrorOptions) {
    super(reason ?? code, options)
    this.name = 'SignInRejectedError'
    this.code = code
  }
}

/**
 * Joins the messages of an error and its causes. None of them contains a token or an authorization
 * code.
 */
export function joinMessages(error: unknown): string {
  const messages: string[] = []
  for (let currentError = error; currentError instanceof Error; currentError = currentError.cause)
    messages.push(currentError.message)
  return messages.join(': ')
}
