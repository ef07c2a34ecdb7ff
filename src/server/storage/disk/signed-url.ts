import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { DownloadGrant, PartGrant, UploadGrant } from '../storage.ts'
import { assertStorageKey } from '../storage-key.ts'

/**
 * What one presigned URL allows: to send the bytes of one key (`put`) or one part of them (`part`),
 * or to download them (`get`).
 */
export type SignedGrant =
  | ({ operation: 'put' } & UploadGrant)
  | ({ operation: 'part' } & PartGrant)
  | ({ operation: 'get' } & DownloadGrant)

export type UrlVerdict =
  | { ok: true; grant: SignedGrant }
  | { ok: false; code: 'SIGNATURE_INVALID' | 'SIGNATURE_EXPIRED' }

/** The path of every presigned URL begins with this. */
const signedPathPrefix = '/storage/'

const signatureParameter = '&signature='

/**
 * Derives the key that signs URLs from the server's secret. This key signs nothing else. So the
 * signature of a URL is not valid for anything else that the server signs with its secret.
 */
export function deriveSigningKey(secret: string): KeyObject {
  // Signing with a key object costs a sixth of signing with the key's bytes, which Node would turn
  // into a key object each time.
  const key = hkdfSync('sha256', secret, '', 'mayfly storage url v1', 32)
  return createSecretKey(Buffer.from(key))
}

/**
 * Returns an absolute URL that contains the whole grant and a signature over it: operation, key,
 * exact size, media type and expiry (milliseconds since 1970). For `part` it also contains the
 * part's number and offset, for `get` the file's name, version and date.
 * @throws {RangeError} when the key, the size, a part's number or offset, or a date is not valid.
 */
export function signUrl(grant: SignedGrant, appUrl: string, signingKey: KeyObject): string {
  assertSignable(grant)
  const target = describe(grant)
  return `${appUrl}${target}${signatureParameter}${signatureOf(target, signingKey)}`
}

/**
 * Reads back the grant that `signUrl` put into a request's path and query. If any character was
 * changed, the result is SIGNATURE_INVALID. An unchanged URL works before `grant.until`, and gives
 * SIGNATURE_EXPIRED from that moment on.
 */
export function verifyUrl(target: string, now: Date, signingKey: KeyObject): UrlVerdict {
  // The signature covers the text of the URL, not its parsed fields. So no other spelling of the
  // same URL works, and no field is read before the signature is checked.
  const end = target.lastIndexOf(signatureParameter)
  if (end === -1) return { ok: false, code: 'SIGNATURE_INVALID' }
  const described = target.slice(0, end)
  const given = Buffer.from(target.slice(end + signatureParameter.length))
  const expected = Buffer.from(signatureOf(described, signingKey))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return { ok: false, code: 'SIGNATURE_INVALID' }
  }
  const grant = readGrant(described)
  if (now.getTime() >= grant.until.getTime()) return { ok: false, code: 'SIGNATURE_EXPIRED' }
  return { ok: true, grant }
}

function signatureOf(described: string, signingKey: KeyObject): string {
  return createHmac('sha256', signingKey).update(described).digest('base64url')
}

function assertSignable(grant: SignedGrant): void {
  assertStorageKey(grant.key)
  if (!isCount(grant.size)) throw new RangeError('not a size')
  if (grant.operation === 'part') {
    const { partNumber, offset, size } = grant
    const isPart =
      isCount(partNumber) && partNumber > 0 && isCount(offset) && isCount(offset + size)
    if (!isPart) throw new RangeError('not a part')
  }
  const dates = grant.operation === 'get' ? [grant.until, grant.createdAt] : [grant.until]
  if (dates.some((date) => Number.isNaN(date.getTime()))) throw new RangeError('not a date')
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function describe(grant: SignedGrant): string {
  const fields: Record<string, string | number> = {
    operation: grant.operation,
    size: grant.size,
    type: grant.mimeType,
    until: grant.until.getTime(),
  }
  if (grant.operation === 'part') {
    fields.part = grant.partNumber
    fields.offset = grant.offset
  }
  if (grant.operation === 'get') {
    fields.name = grant.fileName
    fields.version = grant.version
    fields.created = grant.createdAt.getTime()
  }
  const query = Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeStrictly(String(value))}`)
    .join('&')
  return `${signedPathPrefix}${grant.key}?${query}`
}

/**
 * Escapes all but RFC 3986's unreserved characters, which every client and proxy writes the same
 * way.
 */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Reads the text that `describe` wrote. It is called only after the signature is checked. */
function readGrant(described: string): SignedGrant {
  const url = new URL(described, 'http://localhost')
  const field = (name: string): string => url.searchParams.get(name) ?? ''
  const upload: UploadGrant = {
    key: url.pathname.slice(signedPathPrefix.length),
    size: Number(field('size')),
    mimeType: field('type'),
    until: new Date(Number(field('until'))),
  }
  const operation = field('operation')
  if (operation === 'put') return { operation, ...upload }
  if (operation === 'part') {
    const place = { partNumber: Number(field('part')), offset: Number(field('offset')) }
    return { operation, ...upload, ...place }
  }
  return {
    operation: 'get',
    ...upload,
    fileName: field('name'),
    version: field('version'),
    createdAt: new Date(Number(field('created'))),
  }
}
