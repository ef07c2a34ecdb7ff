import { email as emailAddress, personName } from '../../../shared/contract/account.ts'

/** The user's identity according to the issuer. */
export interface Identity {
  /** The issuer's id for the user. Never changes and is never reassigned. */
  subject: string
  /**
   * The email address in lower case. Null if the issuer sends none, or one that an account can't
   * have.
   */
  email: string | null
  /** Whether the issuer has verified that the user owns the email address. */
  emailVerified: boolean
  firstName: string
  lastName: string
  /** The https URL of a picture that our pages are allowed to show, or null. */
  picture: string | null
}

/** The claims defined in OpenID Connect Core §5.1. The types of their values are not checked. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string }

/** True if the ID token lacks claims that userinfo may contain. */
export function needsUserInfo(idToken: Claims): boolean {
  return toText(idToken.email) === '' || readFirstName(idToken) === ''
}

/**
 * Reads the identity from an ID token and, if it was requested, the userinfo response. The email
 * address and its verification come from the same source. Otherwise one source could vouch for the
 * other's address.
 * @param allowedOrigins origins of pictures that our pages may show, from `pictureOrigins`.
 */
export function readIdentity(
  idToken: Claims,
  userInfo: Claims | null,
  allowedOrigins: readonly string[],
): Identity {
  const emailClaims = toText(idToken.email) === '' ? (userInfo ?? idToken) : idToken
  const parsed = emailAddress.safeParse(emailClaims.email)
  const email = parsed.success ? parsed.data.toLowerCase() : null
  const nameClaims = readFirstName(idToken) === '' ? (userInfo ?? idToken) : idToken
  return {
    subject: idToken.sub,
    email,
    // The string "true" is rejected: an issuer that is careless with types may be careless
    // elsewhere.
    emailVerified: email !== null && emailClaims.email_verified === true,
    ...readNames(nameClaims, email),
    picture: readPictureUrl(idToken.picture ?? userInfo?.picture, allowedOrigins),
  }
}

function readNames(claims: Claims, email: string | null) {
  const firstName = readFirstName(claims)
  const lastName = cleanName(toText(claims.family_name))
  if (firstName !== '') return { firstName, lastName }
  return { firstName: cleanName(email?.split('@')[0] ?? '') || 'User', lastName: '' }
}

function readFirstName(claims: Claims): string {
  return cleanName(toText(claims.given_name)) || cleanName(toText(claims.name))
}

/** Counted in characters. Signups allow 100 UTF-16 code units, and a character takes up to two. */
const maxNameLength = 50

/** Converts a name from the issuer to one that a signup would accept, or to an empty string. */
function cleanName(value: string): string {
  const line = value.replace(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ').trim()
  const shortName = Array.from(line).slice(0, maxNameLength).join('').trim()
  const parsed = personName.safeParse(shortName)
  return parsed.success ? parsed.data : ''
}

function readPictureUrl(claim: unknown, origins: readonly string[]): string | null {
  const url = URL.parse(toText(claim))
  if (url?.protocol !== 'https:' || url.href.length > 2000) return null
  if (`${url.username}${url.password}` !== '') return null
  const isAllowed = origins.some((origin) => {
    const [, domain] = /^https:\/\/\*(\..+)$/.exec(origin) ?? []
    return domain === undefined ? url.origin === origin : url.host.endsWith(domain)
  })
  return isAllowed ? url.href : null
}

function toText(claim: unknown): string {
  return typeof claim === 'string' ? claim : ''
}
