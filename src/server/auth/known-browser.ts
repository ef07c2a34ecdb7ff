import { timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { nanoid } from 'nanoid'
import { knownBrowserKeptMs } from '../../shared/rules/files/kept-times.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { keyedHash } from './keyed-hash.ts'
import { findPasswordHash } from './queries.ts'

type BrowserDeps = Pick<Deps, 'auth' | 'clock' | 'config' | 'db'>

const cookieName = 'mayfly.known_browser'
const keptSeconds = knownBrowserKeptMs / 1000
/** A browser is known to at most this many accounts: those that it signed in to last. */
const mostAccounts = 5

/**
 * Returns a hash of an account's mail address, made with the server's secret. Cookies and counters
 * contain this hash, so that nobody can read the address in them.
 */
export async function accountName({ auth }: Pick<Deps, 'auth'>, email: string): Promise<string> {
  const { secret } = await auth.$context
  return keyedHash(secret, 'mayfly account name', email.toLowerCase()).slice(0, 22)
}

/**
 * Returns the browser's id if its cookie proves that it signed in to this account before, or else
 * null. The cookie expires a year after the last login, or when the password changes. It signs
 * nobody in.
 */
export async function findKnownBrowser(
  deps: BrowserDeps,
  context: Context<HttpEnv>,
  email: string,
): Promise<string | null> {
  const account = await accountName(deps, email)
  const entry = readEntries(deps, context).find((one) => one.account === account)
  if (!entry || entry.until <= deps.clock().getTime() / 1000) return null
  const signature = await sign(deps, email, entry)
  if (signature === null) return null
  const given = Buffer.from(entry.signature)
  const expected = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) ? entry.id : null
}

/**
 * Returns the value of the cookie that makes a browser known to the account that it has just signed
 * in to. A browser that is known already stays known for another year. Returns null for an account
 * without a password.
 */
export async function knownBrowserValue(
  deps: BrowserDeps,
  context: Context<HttpEnv>,
  email: string,
  knownBrowser: string | null,
): Promise<string | null> {
  const account = await accountName(deps, email)
  const until = Math.floor(deps.clock().getTime() / 1000) + keptSeconds
  const unsigned = { account, id: knownBrowser ?? nanoid(), until }
  const signature = await sign(deps, email, unsigned)
  if (signature === null) return null
  const others = readEntries(deps, context).filter((one) => one.account !== account)
  const entries = [{ ...unsigned, signature }, ...others].slice(0, mostAccounts)
  return entries.map(writeEntry).join('~')
}

/** Sets the cookie to the value that `knownBrowserValue` returned. */
export function setKnownBrowser(
  deps: Pick<Deps, 'config'>,
  context: Context<HttpEnv>,
  value: string,
): void {
  setCookie(context, cookieName, value, {
    ...(isHttps(deps) && { prefix: 'host', secure: true }),
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    maxAge: keptSeconds,
  })
}

interface Unsigned {
  account: string
  id: string
  /** When the browser stops being known to this account, in seconds since 1970. */
  until: number
}

interface Entry extends Unsigned {
  signature: string
}

const entryPattern = /^([\w-]{22})\.([\w-]{21})\.(\d{1,12})\.([\w-]{43})$/

function readEntries(deps: BrowserDeps, context: Context<HttpEnv>): Entry[] {
  const prefix = isHttps(deps) ? 'host' : undefined
  const text =
    (prefix ? getCookie(context, cookieName, prefix) : getCookie(context, cookieName)) ?? ''
  return text.split('~', mostAccounts).flatMap((part) => {
    const [, account, id, until, signature] = entryPattern.exec(part) ?? []
    return account && id && until && signature
      ? [{ account, id, until: Number(until), signature }]
      : []
  })
}

function writeEntry({ account, id, until, signature }: Entry): string {
  return `${account}.${id}.${until}.${signature}`
}

/**
 * Signs an entry of the cookie. The signature covers the hash of the password, so the entry is not
 * valid any more after a change of the password. Returns null for an account without a password.
 */
async function sign(
  { auth, db }: BrowserDeps,
  email: string,
  { account, id, until }: Unsigned,
): Promise<string | null> {
  const passwordHash = await findPasswordHash(db, email.toLowerCase())
  if (passwordHash === null) return null
  const { secret } = await auth.$context
  return keyedHash(secret, 'mayfly known browser', `${account}.${id}.${until}.${passwordHash}`)
}

function isHttps({ config }: Pick<Deps, 'config'>): boolean {
  return config.appUrl.protocol === 'https:'
}
