/**
 * The start of the name of every cookie that Better Auth sets. With `__Host-`, which needs https,
 * browsers take the cookie from this host alone: a neighbour below the same domain cannot set it.
 * @param origin the public origin.
 */
export function cookiePrefix(origin: URL): string {
  return origin.protocol === 'https:' ? '__Host-mayfly' : 'mayfly'
}

/** The name of the session's cookie, as Better Auth makes it of the prefix. */
export function sessionCookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.session_token`
}
