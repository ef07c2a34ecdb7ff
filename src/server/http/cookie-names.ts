/**
 * The start of the name of every cookie that Better Auth sets. With `__Host-`, which needs https,
 * browsers accept the cookie from this host only. Another site of the same domain cannot set it.
 * @param origin the public origin.
 */
export function cookiePrefix(origin: URL): string {
  return origin.protocol === 'https:' ? '__Host-mayfly' : 'mayfly'
}

/** The name of the session's cookie. Better Auth makes it from the prefix. */
export function sessionCookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.session_token`
}
