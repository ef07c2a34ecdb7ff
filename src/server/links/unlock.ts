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
import type { LinkRow } from './queries.ts'

export type UnlockDeps = Pick<Deps, 'config' | 'passwords' | 'rateLimits' | 'secret'>

type LockedLink = Pick<LinkRow, 'id' | 'shortCode' | 'passwordHash'>

const unlockLifetimeMs = 12 * hourInMs

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
 * Lets a program through that sends the password with HTTP Basic authentication, under any user
 * name.
 * @throws {AppError} LINK_LOCKED without a password; as `unlock`.
 */
export async function requireUnlocked(
  deps: UnlockDeps,
  link: LockedLink,
  context: Context<HttpEnv>,
): Promise<void> {
  if (isUnlocked(deps, link, context)) return
  const [scheme, credentials = ''] = (context.req.header('authorization') ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'basic') {
    throw new AppError('LINK_LOCKED', { headers: basicChallenge })
  }
  const text = Buffer.from(credentials, 'base64').toString()
  await unlock(deps, link, text.slice(text.indexOf(':') + 1), context)
}

/**
 * Checks a link's password and remembers the browser for twelve hours. Wrong passwords count toward
 * the limits of the link and of the client's address.
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
  const clientAddress = context.get('clientAddress')
  const client = addressBlock(clientAddress)
  const attempt = await deps.rateLimits.spend([
    counter('wrongUnlocksByAddress', client),
    counter('wrongUnlocksByLink', link.id),
  ])
  const hash = await deps.passwords.hash(password, getSalt(passwordHash), clientAddress)
  if (!isSameText(hash, passwordHash)) {
    const message = 'Wrong password. Please try again.'
    throw new AppError('WRONG_PASSWORD', { status: 401, message, headers: basicChallenge })
  }
  await deps.rateLimits.refund(attempt)
  const value = signUnlock(deps, link, passwordHash)
  writeCookie(deps, context, cookieName(link), value, unlockLifetimeMs)
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
