import { z } from 'zod'
import { isLoopback } from '../http/hosts.ts'
import { hidden, shown } from './setting-values.ts'

/**
 * The OpenID Connect issuer whose accounts people sign in with, and the client id and secret that
 * this server has there.
 */
export interface GoogleSettings {
  /** The issuer's identifier. The address for OpenID Connect Discovery is derived from it. */
  issuer: URL
  clientId: string
  clientSecret: string
}

/**
 * The settings for signing in with Google, each with its default and its meaning. The README shows
 * them in a table. A test fails if a name or a default differs between the README and the code.
 */
export const googleSettingsTable = {
  GOOGLE_CLIENT_ID: {
    default: 'none: nobody signs in with Google',
    meaning: 'The id of this server at Google, or at another OpenID Connect issuer',
  },
  GOOGLE_CLIENT_SECRET: { default: 'none', meaning: 'Its secret' },
  GOOGLE_ISSUER: {
    default: '`https://accounts.google.com`',
    meaning: 'The issuer whose accounts people sign in with',
  },
} as const

/**
 * Tells whether an address of the issuer is safe to use. It must use https. It may use http only if
 * both the address and the issuer are on this machine. It must not contain a user name or a
 * password.
 */
export function isSafeAddress(address: URL, issuer: URL): boolean {
  const isProtected =
    address.protocol === 'https:' || (isOfThisMachine(address) && isOfThisMachine(issuer))
  return isProtected && `${address.username}${address.password}` === ''
}

/**
 * Tells whether an address leads to this machine over http. In development, the issuer may run on
 * the same machine.
 */
export function isOfThisMachine(url: URL): boolean {
  return url.protocol === 'http:' && isLoopback(url.hostname)
}

/**
 * Tells whether an address can be an issuer. By OpenID Connect Discovery §3 an issuer is an https
 * address without query and fragment. We also allow http for an issuer on this machine.
 */
function isIssuer(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && isSafeAddress(url, url) && !/[?#]/.test(value)
}

const printable = /^[\x21-\x7e]{1,1000}$/

/** How each setting for signing in with Google is checked and read. */
export const googleSchema = {
  GOOGLE_CLIENT_ID: z
    .string()
    .regex(printable, shown('give the id of an OAuth client, or unset it'))
    .optional(),
  GOOGLE_CLIENT_SECRET: z
    .string()
    .regex(printable, hidden('give the secret of the OAuth client, or unset it'))
    .optional(),
  GOOGLE_ISSUER: z
    .string()
    .refine(
      isIssuer,
      shown('give an https address such as https://id.example.org/realms/main, or unset it'),
    )
    .default('https://accounts.google.com')
    .transform((value) => new URL(value)),
} satisfies Record<keyof typeof googleSettingsTable, z.ZodType>

type GoogleEnvironment = z.output<z.ZodObject<typeof googleSchema>>

/**
 * If at least one setting for Google is set, names the required ones that are missing, one sentence
 * each.
 */
export function incompleteGoogle(values: Readonly<Record<string, string | undefined>>): string[] {
  const needed = ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']
  const present = Object.keys(googleSettingsTable).find((name) => values[name] !== undefined)
  if (present === undefined) return []
  return needed
    .filter((name) => values[name] === undefined)
    .map((name) => `${name} is missing: it belongs to ${present}; set it too, or unset that`)
}

/** Returns the settings for signing in with Google, or null where they are not set. */
export function readGoogleSettings(env: GoogleEnvironment): GoogleSettings | null {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = env
  return clientId && clientSecret ? { issuer: env.GOOGLE_ISSUER, clientId, clientSecret } : null
}

/**
 * Returns the origins from which our pages may load the profile pictures of the issuer's accounts.
 * The content security policy names them. Google serves these pictures from other hosts. For any
 * other issuer, we only know the issuer's own host.
 */
export function pictureOrigins(google: Pick<GoogleSettings, 'issuer'> | null): string[] {
  if (google === null) return []
  const { host } = google.issuer
  return [host === 'accounts.google.com' ? 'https://*.googleusercontent.com' : `https://${host}`]
}
