import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Makes a random token of 43 characters, for a session or for the link in an email. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes the token of an email's link. The database stores only the hash. */
export function tokenHash(token: string): string {
  return sha256(token)
}

/**
 * Fingerprints an account's address and password. Tokens carry it, so they stop working when either
 * changes.
 */
export function credentialStamp(account: { email: string; passwordHash: string | null }): string {
  return sha256(`${account.email}\n${account.passwordHash ?? ''}`)
}

/**
 * Computes an HMAC of a text with the server's secret, as base64url. A hash for one purpose isn't
 * valid for another.
 */
export function keyedHash(secret: string, purpose: string, text: string): string {
  return createHmac('sha256', secret).update(`${purpose}\n${text}`).digest('base64url')
}

/** Compares two texts in constant time. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
