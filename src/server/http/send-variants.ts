import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import type { HttpEnv } from './env.ts'

/** A body in one coding, with its tag. */
export interface Variant {
  body: Uint8Array<ArrayBuffer>
  etag: string
}

export type Coding = 'br' | 'gzip' | 'identity'

/** The same body in the codings that are worth it. There is always `identity`. */
export type Variants = ReadonlyMap<Coding, Variant>

/** Returns a body with the tag that its bytes give it. */
export function variantOf(body: Uint8Array<ArrayBuffer>): Variant {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { body, etag: `"${hash}"` }
}

/**
 * Answers with the variant that the client likes best, or with 304 if the client has it already. An
 * answer with status 404 is always sent whole.
 */
export function sendVariant(
  c: Context<HttpEnv>,
  { variants, headers }: { variants: Variants; headers: Readonly<Record<string, string>> },
  status: 200 | 404,
): Response | Promise<Response> {
  const coding = chooseCoding(c.req.header('accept-encoding'), variants)
  const variant = variants.get(coding)
  if (!variant) return c.notFound()
  const all: Record<string, string> = { ...headers, etag: variant.etag }
  if (coding !== 'identity') all['content-encoding'] = coding
  if (status === 200 && matches(c.req.header('if-none-match'), variant.etag)) {
    return c.body(null, 304, all)
  }
  return c.body(variant.body, status, { ...all, 'content-length': String(variant.body.length) })
}

/**
 * RFC 9110 §12.5.3: returns the best compression that the client accepts, first by the client's
 * weights, then by our order.
 */
function chooseCoding(acceptEncoding: string | undefined, variants: Variants): Coding {
  const weights = new Map(
    parseAccept(acceptEncoding ?? '').map(({ type, q }) => [type.toLowerCase(), q]),
  )
  const weight = (coding: Coding) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? 0.001 : 0)
  const [best] = [...variants.keys()]
    .filter((coding) => weight(coding) > 0)
    .sort((a, b) => weight(b) - weight(a))
  return best ?? 'identity'
}

/** RFC 9110 §13.1.2: ignores the mark `W/`, because a proxy may have added it. */
function matches(ifNoneMatch: string | undefined, etag: string) {
  return (
    ifNoneMatch?.split(',').some((tag) => {
      const strong = tag.trim().replace(/^W\//, '')
      return strong === etag || strong === '*'
    }) === true
  )
}
