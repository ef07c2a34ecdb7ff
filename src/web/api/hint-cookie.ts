import { signedInHint } from '../../shared/signed-in-hint.ts'

/** The part of `document` that is used here. */
type Cookies = Pick<Document, 'cookie'>

/**
 * Returns the value of the cookie that hints that somebody is signed in; null if the browser has no
 * such cookie.
 */
export function readHint({ cookie }: Cookies): string | null {
  const entry = cookie.split('; ').find((one) => one.startsWith(`${signedInHint}=`))
  return entry?.slice(signedInHint.length + 1) ?? null
}

/**
 * Removes the hint cookie after the server has said that nobody is signed in. If a newer session
 * has set another value meanwhile, the cookie is kept.
 */
export function dropHint(document: Cookies, hint: string): void {
  if (readHint(document) !== hint) return
  document.cookie = `${signedInHint}=; Max-Age=0; Path=/; SameSite=Lax`
}
