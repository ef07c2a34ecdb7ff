import { createHash, randomBytes } from 'node:crypto'

/**
 * Makes a token of 43 random characters, for the link in an email or for a session. For the link,
 * the database keeps only the token's hash.
 */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Hashes the token of a link in an email. The database keeps only hashes of these tokens, so nobody
 * who reads it finds a link that works.
 */
export function tokenHash(token: string): string {
  return sha256(token)
}

/**
 * Returns a text that stands for the account's address and password now. When either changes, the
 * text changes too, and tokens that were made before stop working.
 */
export function credentialStamp(account: { email: string; passwordHash: string | null }): string {
  return sha256(`${account.email}\n${account.passwordHash ?? ''}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
