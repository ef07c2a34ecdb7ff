/** What an API key can be allowed to do. Its endpoints are those that declare the scope. */
export const keyScopes = [
  'files:read',
  'files:write',
  'files:delete',
  'stats:read',
  'requests:write',
] as const
export type KeyScope = (typeof keyScopes)[number]

/** How many keys a user can have, including expired ones. */
export const maxKeysPerUser = 50

/** The maximum length of a key's name in characters. */
export const maxKeyNameLength = 60

/** True if the key has an end that has passed. */
export function isKeyExpired(
  { expiresAt }: { expiresAt?: Date | null | undefined },
  now: Date,
): boolean {
  return expiresAt ? now >= expiresAt : false
}
