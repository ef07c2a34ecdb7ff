import { isSameText, keyedHash } from '../auth/secrets.ts'

/** Returns the keyed hash that stands for an email address in `email_opt_outs`. */
export function hashAddress(secret: string, address: string): string {
  return keyedHash(secret, 'email opt-out', address.toLowerCase())
}

/**
 * Returns the token in the opt-out link of emails to this address. It doesn't contain the address,
 * and it never expires.
 */
export function createOptOutToken(secret: string, address: string): string {
  const hash = hashAddress(secret, address)
  return `${hash}.${sign(secret, hash)}`
}

/** Returns the keyed hash in a token, or null if this server didn't create the token. */
export function readOptOutToken(secret: string, token: string): string | null {
  const [hash = '', signature = ''] = token.split('.')
  return isSameText(signature, sign(secret, hash)) ? hash : null
}

/** Without a signature, anyone could fill the table with made-up hashes. */
function sign(secret: string, hash: string): string {
  return keyedHash(secret, 'email opt-out link', hash)
}
