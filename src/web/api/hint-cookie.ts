import { signedInHintCookie } from '../../shared/signed-in-hint.ts'

/** The part of `document` that is used here. */
type Cookies = Pick<Document, 'cookie'>

/** Returns the value of the cookie that hints at a session; null if there is no such cookie. */
export function readHint({ cookie }: Cookies): string | null {
  const entry = cookie.split('; ').find((pair) => pair.startsWith(`${signedInHintCookie}=`))
  return entry?.slice(signedInHintCookie.length + 1) ?? null
}

/**
 * Removes the hint cookie after the server reported that there is no session. Keeps it if a newer
 * session has replaced the value in the meantime.
 */
export function deleteHint(document: Cookies, hint: string): void {
  if (readHint(document) !== hint) return
  document.cookie = `${signedInHintCookie}=; Max-Age=0; Path=/; SameSite=Lax`
}
