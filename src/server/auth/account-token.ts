import { createHash, randomBytes } from 'node:crypto'

/** Makes a token of 43 random characters. Only the letter carries it; the server keeps its hash. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a token for the database, so that a reader of the database finds no working link. */
export function tokenHash(token: string): string {
  return sha256(token)
}

/**
 * Identifies the account's address and password at the time a token is made. When either changes,
 * the stamp changes, and older tokens stop working.
 */
export function credentialStamp(account: { email: string; passwordHash: string | null }): string {
  return sha256(`${account.email}\n${account.passwordHash ?? ''}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
