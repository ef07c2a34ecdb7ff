import type { Context } from 'hono'
import { nanoid } from 'nanoid'
import { knownBrowserRetentionMs } from '../../shared/rules/files/retention.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from '../http/env.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { isSameText, keyedHash } from './secrets.ts'

/*
 * A known browser has signed in to an account before and has a cookie that proves it. Its failed
 * attempts have a separate limit (login-limits.ts), which other clients in its network can't use
 * up. The cookie doesn't authenticate anyone. It lists the most recently used accounts, each as an
 * id and a signature that becomes invalid when the password changes.
 */

type BrowserDeps = Pick<Deps, 'config' | 'secret'>

const cookieName = 'known_browser'
const maxAccounts = 5
const entryPattern = /^([\w-]{21})\.([\w-]{43})$/

/**
 * Returns the browser's id if the browser has signed in to the account with this password hash
 * before, otherwise null.
 * @param passwordHash null if there is no account or it has no password.
 */
export function findKnownBrowser(
  deps: BrowserDeps,
  context: Context<HttpEnv>,
  passwordHash: string | null,
): string | null {
  if (passwordHash === null) return null
  const entry = readEntries(deps, context).find((candidate) =>
    belongsToAccount(deps, candidate, passwordHash),
  )
  return entry?.id ?? null
}

/**
 * Remembers for a year that the browser has signed in to the account with this password hash.
 * @param knownBrowser the browser's id, or null if the account doesn't know it yet.
 */
export function rememberBrowser(
  deps: BrowserDeps,
  context: Context<HttpEnv>,
  passwordHash: string,
  knownBrowser: string | null,
): void {
  const id = knownBrowser ?? nanoid()
  const entry = { id, signature: sign(deps, id, passwordHash) }
  const otherEntries = readEntries(deps, context).filter((savedEntry) => savedEntry.id !== id)
  const cookieValue = [entry, ...otherEntries]
    .slice(0, maxAccounts)
    .map(({ id, signature }) => `${id}.${signature}`)
    .join('~')
  writeCookie(deps, context, cookieName, cookieValue, knownBrowserRetentionMs)
}

interface KnownAccount {
  id: string
  signature: string
}

function readEntries(deps: BrowserDeps, context: Context<HttpEnv>): KnownAccount[] {
  const text = readCookie(deps, context, cookieName) ?? ''
  return text.split('~', maxAccounts).flatMap((part) => {
    const [, id, signature] = entryPattern.exec(part) ?? []
    return id && signature ? [{ id, signature }] : []
  })
}

function belongsToAccount(
  deps: BrowserDeps,
  { id, signature }: KnownAccount,
  passwordHash: string,
): boolean {
  return isSameText(signature, sign(deps, id, passwordHash))
}

function sign({ secret }: BrowserDeps, id: string, passwordHash: string): string {
  return keyedHash(secret, 'mayfly known browser', `${id}.${passwordHash}`)
}
