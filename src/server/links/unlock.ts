import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { hourInMs } from '../../shared/rules/format/units.ts'
import { readCookie, writeCookie } from '../auth/cookies.ts'
import { getSalt } from '../auth/password-hashing.ts'
import { isSameText, keyedHash } from '../auth/secrets.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import type { HttpEnv } from '../http/env.ts'
import { counter } from '../http/rate-limit.ts'
import type { ReadSession } from '../http/session.ts'
import type { LinkRow } from './queries.ts'

export type UnlockDeps = Pick<Deps, 'config' | 'passwords' | 'rateLimits' | 'secret'>

type LockedLink = Pick<LinkRow, 'id' | 'ownerId' | 'shortCode' | 'passwordHash'>

/**
 * Returns the hash of a new password of a link or request. Null, which removes the password, and
 * undefined, which keeps it, stay as they are.
 * @throws {AppError} PASSWORDS_BUSY.
 */
export async function hashLinkPassword(
  { passwords }: Pick<Deps, 'passwords'>,
  password: string | null | undefined,
  clientAddress: string,
): Promise<string | null | undefined> {
  if (typeof password !== 'string') return password
  return passwords.hash(password, randomBytes(16).toString('hex'), clientAddress)
}

const unlockLifetimeMs = 12 * hourInMs

/** True if anyone who has the link may see it, or the caller is its owner. */
export async function isVisible(
  { readSession }: { readSession: ReadSession },
  { shared, ownerId }: Pick<LinkRow, 'shared' | 'ownerId'>,
  context: Context<HttpEnv>,
): Promise<boolean> {
  return shared || (await readSession(context))?.user.id === ownerId
}

/**
 * True if the link has no password, or the browser has unlocked it. The cookie stops working when
 * the password changes.
 */
export function isUnlocked(
  deps: Pick<Deps, 'config' | 'secret'>,
  link: LockedLink,
  context: Context<HttpEnv>,
): boolean {
  if (link.passwordHash === null) return true
  const cookie = readCookie(deps, context, cookieName(link))
  return cookie !== undefined && isSameText(cookie, signUnlock(deps, link, link.passwordHash))
}

/**
 * Lets the link's owner through, and a program that sends the password with HTTP Basic
 * authentication, under any user name.
 * @throws {AppError} LINK_LOCKED without a password; as `unlock`.
 */
export async function requireUnlocked(
  deps: UnlockDeps & { readSession: ReadSession },
  link: LockedLink,
  context: Context<HttpEnv>,
): Promise<void> {
  if (isUnlocked(deps, link, context)) return
  if ((await deps.readSession(context))?.user.id === link.ownerId) return
  const password = readBasicPassword(context)
  if (password === null) throw new AppError('LINK_LOCKED', { headers: basicChallenge })
  if (!(await isCorrect(deps, link, password, context))) throw wrongPassword(basicChallenge)
}

/** Returns the password of HTTP Basic authentication (RFC 7617), or null if there is none. */
function readBasicPassword(context: Context<HttpEnv>): string | null {
  const header = context.req.header('authorization') ?? ''
  const credentials = /^basic +([\w+/-]+=*) *$/i.exec(header)?.[1] ?? ''
  const text = Buffer.from(credentials, 'base64').toString()
  return text.includes(':') ? text.slice(text.indexOf(':') + 1) : null
}

/**
 * Checks a link's password and remembers the browser for twelve hours.
 * @throws {AppError} WRONG_PASSWORD with status 401; TOO_MANY_REQUESTS; PASSWORDS_BUSY.
 */
export async function unlock(
  deps: UnlockDeps,
  link: LockedLink,
  password: string,
  context: Context<HttpEnv>,
): Promise<void> {
  const { passwordHash } = link
  if (passwordHash === null) return
  // Without a challenge, because browsers would show their own dialog.
  if (!(await isCorrect(deps, link, password, context))) throw wrongPassword()
  const value = signUnlock(deps, link, passwordHash)
  writeCookie(deps, context, cookieName(link), value, unlockLifetimeMs)
}

/**
 * Checks a link's password. Wrong ones count toward the limits of the link and of the client's
 * address.
 */
async function isCorrect(
  { passwords, rateLimits }: UnlockDeps,
  { id, passwordHash }: LockedLink,
  password: string,
  context: Context<HttpEnv>,
): Promise<boolean> {
  if (passwordHash === null) return true
  const clientAddress = context.get('clientAddress')
  const attempt = await rateLimits.spend([
    counter('wrongUnlocksByAddress', addressBlock(clientAddress)),
    counter('wrongUnlocksByLink', id),
  ])
  const hash = await passwords.hash(password, getSalt(passwordHash), clientAddress)
  if (!isSameText(hash, passwordHash)) return false
  await rateLimits.refund(attempt)
  return true
}

function wrongPassword(headers: Record<string, string> = {}): AppError {
  const message = 'Wrong password. Please try again.'
  return new AppError('WRONG_PASSWORD', { status: 401, message, headers })
}

const basicChallenge = {
  'www-authenticate': 'Basic realm="This link has a password", charset="UTF-8"',
}

function cookieName({ shortCode }: LockedLink): string {
  return `link_${shortCode}`
}

function signUnlock({ secret }: Pick<Deps, 'secret'>, { id }: LockedLink, passwordHash: string) {
  return keyedHash(secret, 'unlock', `${id} ${passwordHash}`)
}
