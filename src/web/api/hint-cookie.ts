import { signedInHintCookie } from '../../shared/signed-in-hint.ts'

type CookieSource = Pick<Document, 'cookie'>

/** Returns the value of the cookie that indicates a session, or null if it isn't set. */
export function readHint({ cookie }: CookieSource): string | null {
  const entry = cookie.split('; ').find((pair) => pair.startsWith(`${signedInHintCookie}=`))
  return entry?.slice(signedInHintCookie.length + 1) ?? null
}

/**
 * Deletes the hint cookie unless its value has changed since `hint` was read, which means that a
 * newer session has started. Call this when the server reports that there is no session.
 */
export function deleteHint(document: CookieSource, hint: string): void {
  if (readHint(document) !== hint) return
  document.cookie = `${signedInHintCookie}=; Max-Age=0; Path=/; SameSite=Lax`
}
