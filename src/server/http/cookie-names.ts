/**
 * Returns the start of our cookies' names. Over https it contains `__Host-`: browsers then take the
 * cookie from this host only, and another site of the same domain cannot set it.
 * @param origin the public origin.
 */
export function cookiePrefix(origin: URL): string {
  return origin.protocol === 'https:' ? '__Host-mayfly' : 'mayfly'
}

/** Returns the name of the cookie that carries the session. */
export function sessionCookieName(origin: URL): string {
  return `${cookiePrefix(origin)}.session_token`
}
