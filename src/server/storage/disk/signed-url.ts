import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { PartGrant, UploadGrant } from '../storage.ts'
import { assertStorageKey } from '../storage-key.ts'

/**
 * The permission that a presigned URL grants: to upload a key's bytes (`put`) or one part of them
 * (`part`).
 */
export type SignedGrant = ({ operation: 'put' } & UploadGrant) | ({ operation: 'part' } & PartGrant)

export type UrlVerdict =
  | { ok: true; grant: SignedGrant }
  | { ok: false; code: 'SIGNATURE_INVALID' | 'SIGNATURE_EXPIRED' }

const signedPathPrefix = '/storage/'

const signatureParameter = '&signature='

/**
 * Derives the URL signing key from the server's secret. This key signs nothing but URLs, so URL
 * signatures can't be misused elsewhere.
 */
export function deriveSigningKey(secret: string): KeyObject {
  // Signing with a key object takes a sixth of the time it takes with raw key bytes, because Node
  // converts those on each call.
  const key = hkdfSync('sha256', secret, '', 'mayfly storage url v1', 32)
  return createSecretKey(Buffer.from(key))
}

/**
 * Returns an absolute URL that contains the whole grant and its signature: operation, key, exact
 * size, media type and expiry (milliseconds since 1970). For `part` it also contains the part
 * number and offset.
 * @throws {RangeError} if the key, size, part number, offset or expiry is invalid.
 */
export function signUrl(grant: SignedGrant, appUrl: string, signingKey: KeyObject): string {
  assertSignable(grant)
  const target = buildTarget(grant)
  return `${appUrl}${target}${signatureParameter}${computeSignature(target, signingKey)}`
}

/**
 * Verifies a request's path and query, and returns the grant that was passed to `signUrl`. Any
 * change to the URL yields SIGNATURE_INVALID. From `grant.expiresAt` on, the result is
 * SIGNATURE_EXPIRED.
 */
export function verifyUrl(target: string, now: Date, signingKey: KeyObject): UrlVerdict {
  // The signature covers the URL's text rather than its parsed fields. So other spellings of the
  // URL are invalid, and nothing is parsed before the signature is verified.
  const signatureStart = target.lastIndexOf(signatureParameter)
  if (signatureStart === -1) return { ok: false, code: 'SIGNATURE_INVALID' }
  const unsignedTarget = target.slice(0, signatureStart)
  const actualSignature = Buffer.from(target.slice(signatureStart + signatureParameter.length))
  const expectedSignature = Buffer.from(computeSignature(unsignedTarget, signingKey))
  if (
    actualSignature.length !== expectedSignature.length ||
    !timingSafeEqual(actualSignature, expectedSignature)
  ) {
    return { ok: false, code: 'SIGNATURE_INVALID' }
  }
  const grant = readGrant(unsignedTarget)
  if (now.getTime() >= grant.expiresAt.getTime()) return { ok: false, code: 'SIGNATURE_EXPIRED' }
  return { ok: true, grant }
}

function computeSignature(unsignedTarget: string, signingKey: KeyObject): string {
  return createHmac('sha256', signingKey).update(unsignedTarget).digest('base64url')
}

function assertSignable(grant: SignedGrant): void {
  assertStorageKey(grant.key)
  if (!isNonNegativeInteger(grant.size)) throw new RangeError('not a size')
  if (grant.operation === 'part') {
    const { partNumber, offset, size } = grant
    const isPart =
      isNonNegativeInteger(partNumber) &&
      partNumber > 0 &&
      isNonNegativeInteger(offset) &&
      isNonNegativeInteger(offset + size)
    if (!isPart) throw new RangeError('not a part')
  }
  if (Number.isNaN(grant.expiresAt.getTime())) throw new RangeError('not a date')
}

function isNonNegativeInteger(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function buildTarget(grant: SignedGrant): string {
  const fields: Record<string, string | number> = {
    operation: grant.operation,
    size: grant.size,
    type: grant.mimeType,
    until: grant.expiresAt.getTime(),
  }
  if (grant.operation === 'part') {
    fields.part = grant.partNumber
    fields.offset = grant.offset
  }
  const query = Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeStrictly(String(value))}`)
    .join('&')
  return `${signedPathPrefix}${grant.key}?${query}`
}

/**
 * Escapes everything except the unreserved characters of RFC 3986, so that all clients and proxies
 * write the URL the same way.
 */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Parses the output of `buildTarget`. Called only after the signature is verified. */
function readGrant(unsignedTarget: string): SignedGrant {
  const url = new URL(unsignedTarget, 'http://localhost')
  const field = (name: string): string => url.searchParams.get(name) ?? ''
  const upload: UploadGrant = {
    key: url.pathname.slice(signedPathPrefix.length),
    size: Number(field('size')),
    mimeType: field('type'),
    expiresAt: new Date(Number(field('until'))),
  }
  if (field('operation') === 'put') return { operation: 'put', ...upload }
  const partPosition = { partNumber: Number(field('part')), offset: Number(field('offset')) }
  return { operation: 'part', ...upload, ...partPosition }
}
