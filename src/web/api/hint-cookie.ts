import { signedInHint } from '../../shared/signed-in-hint.ts'

/** The part of `document` that is used here. */
type Cookies = Pick<Document, 'cookie'>

/** Returns the value of the hint that somebody is signed in, or null for a visitor's browser. */
export function readHint({ cookie }: Cookies): string | null {
  const entry = cookie.split('; ').find((one) => one.startsWith(`${signedInHint}=`))
  return entry?.slice(signedInHint.length + 1) ?? null
}

/**
 * Removes a hint that turned out to be wrong. A newer session may have set another hint while the
 * server was asked. Its value differs, so it stays.
 */
export function dropHint(document: Cookies, hint: string): void {
  if (readHint(document) !== hint) return
  document.cookie = `${signedInHint}=; Max-Age=0; Path=/; SameSite=Lax`
}
