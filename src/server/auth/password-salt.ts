import type { Deps } from '../deps.ts'
import { keyedHash } from './keyed-hash.ts'

/** Returns the salt in a stored hash, which Better Auth writes as `salt:key`. */
export function saltOf(passwordHash: string): string {
  return passwordHash.slice(0, passwordHash.indexOf(':'))
}

/**
 * Returns the salt for passwords of this address (in lower case). It is the salt of its account's
 * password, or else computed from the server's secret and the address. So the account and all
 * waiting signups of an address have the same salt, and a login needs only one hash to compare a
 * password with all of them. Nobody without the secret can compute hashes in advance.
 * @param passwordHash the hash of the account's password; null where there is none.
 */
export async function saltForAddress(
  { auth }: Pick<Deps, 'auth'>,
  email: string,
  passwordHash: string | null,
): Promise<string> {
  if (passwordHash !== null) return saltOf(passwordHash)
  const { secret } = await auth.$context
  return keyedHash(secret, 'mayfly password salt', email).slice(0, 32)
}
