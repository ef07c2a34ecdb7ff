import { signedInHintCookie } from '../../shared/signed-in-hint.ts'

type Cookies = Pick<Document, 'cookie'>

/** Returns the value of the cookie that hints at a session, or null if it isn't set. */
export function readHint({ cookie }: Cookies): string | null {
  const entry = cookie.split('; ').find((pair) => pair.startsWith(`${signedInHintCookie}=`))
  return entry?.slice(signedInHintCookie.length + 1) ?? null
}

/**
 * Removes the hint cookie after the server reported that there is no session. Keeps it if a newer
 * session has replaced its value.
 */
export function deleteHint(document: Cookies, hint: string): void {
  if (readHint(document) !== hint) return
  document.cookie = `${signedInHintCookie}=; Max-Age=0; Path=/; SameSite=Lax`
}
