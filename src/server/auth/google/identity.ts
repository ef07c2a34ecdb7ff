import { email as emailAddress, personName } from '../../../shared/contract/account.ts'

/** Who a person is, as the issuer says it. */
export interface Identity {
  /** The issuer's own id of the person. It never changes, and no other person ever gets it. */
  subject: string
  /** In lower case; null if the issuer gives no address that an account could have. */
  email: string | null
  /** Whether the issuer says that the person reads the mail of this address. */
  emailVerified: boolean
  firstName: string
  lastName: string
  /** The https URL of a picture that our pages can show. */
  picture: string | null
}

/**
 * What an issuer says of a person: the claims of OpenID Connect Core §5.1. Their types are not
 * checked.
 */
export type Claims = Readonly<Record<string, unknown>> & { sub: string }

/** Tells whether the ID token lacks something that the issuer's userinfo may tell. */
export function needsUserInfo(idToken: Claims): boolean {
  return text(idToken.email) === '' || firstNameOf(idToken) === ''
}

/**
 * Reads who a person is from an ID token and from the userinfo, if that was requested. The address,
 * and whether it is verified, are read from the same source. Otherwise one source could seem to
 * verify the address that the other names.
 * @param pictures origins from which our pages may show pictures, as `pictureOrigins` returns them.
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
    // The text "true" is not accepted. An issuer that is careless with types may be careless
    // elsewhere too.
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

/**
 * How many characters of a name are kept. A signup allows a length of 100 in UTF-16 units, and a
 * character can have two of them.
 */
const maxNameLength = 50

/** Makes a name that a signup would accept from the issuer's text, or else an empty text. */
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
