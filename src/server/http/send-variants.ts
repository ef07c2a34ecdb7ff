import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import type { HttpEnv } from './env.ts'

/** A body in one content coding, with its ETag. */
export interface Variant {
  body: Uint8Array<ArrayBuffer>
  etag: string
}

export type Coding = 'br' | 'gzip' | 'identity'

/** One body in several codings, always including `identity`. */
export type Variants = ReadonlyMap<Coding, Variant>

export function makeVariant(body: Uint8Array<ArrayBuffer>): Variant {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { body, etag: `"${hash}"` }
}

/**
 * Compresses a text in every coding.
 * @param quality the compression level: 0 to 11 for Brotli, capped at 9 for gzip.
 */
export async function compress(
  text: string,
  quality = constants.BROTLI_MAX_QUALITY,
): Promise<Variants> {
  const body = new Uint8Array(Buffer.from(text))
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    [constants.BROTLI_PARAM_QUALITY]: quality,
  }
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(body, { params }),
    promisify(gzip)(body, { level: Math.min(quality, 9) }),
  ])
  return new Map([
    ['br', makeVariant(new Uint8Array(br))],
    ['gzip', makeVariant(new Uint8Array(gz))],
    ['identity', makeVariant(body)],
  ])
}

/** Sends the variant that the client prefers, or 304 if the client already has it. */
export function sendVariant(
  c: Context<HttpEnv>,
  { variants, headers }: { variants: Variants; headers: Readonly<Record<string, string>> },
  status: 200 | 404,
): Response | Promise<Response> {
  const coding = chooseCoding(c.req.header('accept-encoding'), variants)
  const variant = variants.get(coding)
  if (!variant) return c.notFound()
  const responseHeaders: Record<string, string> = { ...headers, etag: variant.etag }
  if (coding !== 'identity') responseHeaders['content-encoding'] = coding
  if (status === 200 && matchesEtag(c.req.header('if-none-match'), variant.etag)) {
    return c.body(null, 304, responseHeaders)
  }
  return c.body(variant.body, status, {
    ...responseHeaders,
    'content-length': String(variant.body.length),
  })
}

/**
 * Returns the accepted coding with the highest weight (RFC 9110 §12.5.3), or our preferred one on a
 * tie.
 */
function chooseCoding(acceptEncoding: string | undefined, variants: Variants): Coding {
  const weights = new Map(
    parseAccept(acceptEncoding ?? '').map(({ type, q }) => [type.toLowerCase(), q]),
  )
  const getWeight = (coding: Coding) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? 0.001 : 0)
  const [best] = [...variants.keys()]
    .filter((coding) => getWeight(coding) > 0)
    .sort((a, b) => getWeight(b) - getWeight(a))
  return best ?? 'identity'
}

/** Ignores the prefix `W/`, which proxies add (RFC 9110 §13.1.2). */
function matchesEtag(ifNoneMatch: string | undefined, etag: string) {
  return (
    ifNoneMatch?.split(',').some((tag) => {
      const strongTag = tag.trim().replace(/^W\//, '')
      return strongTag === etag || strongTag === '*'
    }) === true
  )
}
