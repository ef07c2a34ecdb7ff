import { z } from 'zod'
import { isLoopback } from '../http/hosts.ts'
import { invalid, invalidSecret } from './setting-values.ts'

/** An OpenID Connect issuer, and this server's client id and secret for it. */
export interface GoogleSettings {
  /** The issuer identifier, from which the discovery URL is derived. */
  issuer: URL
  clientId: string
  clientSecret: string
}

/**
 * True for an https URL without userinfo, and for an http URL if both `address` and `issuer` are on
 * this machine.
 */
export function isSafeAddress(address: URL, issuer: URL): boolean {
  const isProtected = address.protocol === 'https:' || (isLocalHttp(address) && isLocalHttp(issuer))
  return isProtected && `${address.username}${address.password}` === ''
}

/** True for an http URL on this machine, as used in development. */
export function isLocalHttp(url: URL): boolean {
  return url.protocol === 'http:' && isLoopback(url.hostname)
}

/** OpenID Connect Discovery §3: an issuer is an https URL without a query or fragment. */
function isIssuer(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && isSafeAddress(url, url) && !/[?#]/.test(value)
}

const printablePattern = /^[\x21-\x7e]{1,1000}$/

export const googleSchema = {
  GOOGLE_CLIENT_ID: z
    .string()
    .regex(printablePattern, invalid('give the id of an OAuth client, or unset it'))
    .optional(),
  GOOGLE_CLIENT_SECRET: z
    .string()
    .regex(printablePattern, invalidSecret('give the secret of the OAuth client, or unset it'))
    .optional(),
  GOOGLE_ISSUER: z
    .string()
    .refine(
      isIssuer,
      invalid('give an https address such as https://id.example.org/realms/main, or unset it'),
    )
    .default('https://accounts.google.com')
    .transform((value) => new URL(value)),
}

type GoogleEnvironment = z.output<z.ZodObject<typeof googleSchema>>

/** Returns an error for each Google setting that is missing while another one is set. */
export function findMissingGoogleSettings(
  values: Readonly<Record<string, string | undefined>>,
): string[] {
  const requiredNames = ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']
  const presentName = Object.keys(googleSchema).find((name) => values[name] !== undefined)
  if (presentName === undefined) return []
  return requiredNames
    .filter((name) => values[name] === undefined)
    .map((name) => `${name} is missing: it belongs to ${presentName}; set it too, or unset that`)
}

/** Returns null if Google sign-in isn't configured. */
export function readGoogleSettings(env: GoogleEnvironment): GoogleSettings | null {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = env
  return clientId && clientSecret ? { issuer: env.GOOGLE_ISSUER, clientId, clientSecret } : null
}

/**
 * Returns the origins of profile pictures for the Content Security Policy. Google serves pictures
 * from hosts other than the issuer's; other issuers are assumed to use their own origin.
 */
export function pictureOrigins(google: Pick<GoogleSettings, 'issuer'> | null): string[] {
  if (google === null) return []
  const { host } = google.issuer
  return [host === 'accounts.google.com' ? 'https://*.googleusercontent.com' : `https://${host}`]
}
