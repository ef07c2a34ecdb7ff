import { email as emailAddress, personName } from '../../../shared/contract/account.ts'

/** Who somebody is, as an issuer says it. */
export interface Identity {
  /** The issuer's own id of the person. It never changes and is given to nobody else. */
  subject: string
  /** In lower case; null where the issuer tells none that an account could have. */
  email: string | null
  /** Whether the issuer vouches that the person reads the mail of the address. */
  emailVerified: boolean
  firstName: string
  lastName: string
  /** The https address of a picture that our pages can show. */
  picture: string | null
}

/** What an issuer says of a person: the claims of OpenID Connect Core §5.1, with no type proved. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string }

/** Whether the ID token leaves something open that the issuer's userinfo may tell. */
export function needsUserInfo(idToken: Claims): boolean {
  return text(idToken.email) === '' || firstNameOf(idToken) === ''
}

/**
 * Reads a person from an ID token and, where it was asked, the userinfo. The address and the word
 * that it is verified come from the same of the two: one must not vouch for the other's address.
 * @param pictures origins from which our pages show pictures, as `pictureOrigins` names them.
 */
export function readIdentity(
  idToken: Claims,
  userInfo: Claims | null,
  pictures: readonly string[],
): Identity {
  const aboutEmail = text(idToken.email) === '' ? (userInfo ?? idToken) : idToken
  const parsed = emailAddress.safeParse(aboutEmail.email)
  const email = parsed.success ? parsed.data.toLowerCase() : null
  const aboutName = firstNameOf(idToken) === '' ? (userInfo ?? idToken) : idToken
  return {
    subject: idToken.sub,
    email,
    // The text "true" is not enough: an issuer that is careless with types may be so with the rest.
    emailVerified: email !== null && aboutEmail.email_verified === true,
    ...namesOf(aboutName, email),
    picture: pictureOf(idToken.picture ?? userInfo?.picture, pictures),
  }
}

function namesOf(claims: Claims, email: string | null) {
  const first = firstNameOf(claims)
  const last = oneLine(text(claims.family_name))
  if (first !== '') return { firstName: first, lastName: last }
  return { firstName: oneLine(email?.split('@')[0] ?? '') || 'User', lastName: '' }
}

function firstNameOf(claims: Claims): string {
  return oneLine(text(claims.given_name)) || oneLine(text(claims.name))
}

/** Code points of a name that are kept. Each may need two of the 100 characters of a signup's. */
const maxNameLength = 50

/** Makes a name of an issuer's words that somebody could sign up with too, or an empty text. */
function oneLine(words: string): string {
  const line = words.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ').trim()
  const cut = Array.from(line).slice(0, maxNameLength).join('').trim()
  const parsed = personName.safeParse(cut)
  return parsed.success ? parsed.data : ''
}

function pictureOf(claim: unknown, origins: readonly string[]): string | null {
  const url = URL.parse(text(claim))
  if (url?.protocol !== 'https:' || url.href.length > 2000) return null
  if (`${url.username}${url.password}` !== '') return null
  const isShown = origins.some((origin) => {
    const [, domain] = /^https:\/\/\*(\..+)$/.exec(origin) ?? []
    return domain === undefined ? url.origin === origin : url.host.endsWith(domain)
  })
  return isShown ? url.href : null
}

function text(claim: unknown): string {
  return typeof claim === 'string' ? claim : ''
}
