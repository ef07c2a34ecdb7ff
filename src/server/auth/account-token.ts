import { createHash, randomBytes } from 'node:crypto'

/** 43 characters that nobody guesses. They leave the server in a letter and are kept nowhere. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** How a token is kept: who reads the database finds no link that works. */
export function tokenHash(token: string): string {
  return sha256(token)
}

/**
 * What a token holds of the account as it was: with another address or another password the stamp is
 * another one, and tokens from before are void.
 */
export function credentialStamp(account: { email: string; passwordHash: string | null }): string {
  return sha256(`${account.email}\n${account.passwordHash ?? ''}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
