import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Creates a random token of 43 characters, for a session or an email link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes an email token. The database stores only the hash. */
export function tokenHash(token: string): string {
  return sha256(token)
}

/**
 * Returns a fingerprint of an account's email address and password. It is stored with each email
 * token, so changing either one invalidates the token.
 */
export function credentialStamp(account: { email: string; passwordHash: string | null }): string {
  return sha256(`${account.email}\n${account.passwordHash ?? ''}`)
}

/**
 * Computes a keyed hash (HMAC) with the server's secret, as base64url. The same text has a
 * different hash for each purpose.
 */
export function keyedHash(secret: string, purpose: string, text: string): string {
  return createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
}

/** Compares two strings in constant time. */
export function isSameText(first: string, second: string): boolean {
  const [a, b] = [Buffer.from(first), Buffer.from(second)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
