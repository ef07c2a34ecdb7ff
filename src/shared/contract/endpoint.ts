import type { ZodType } from 'zod'
import type { Role } from '../rules/accounts/role.ts'
import type { ErrorCode } from './errors.ts'

/**
 * Who may call an endpoint. There is no default: an endpoint without an access does not compile.
 */
export type Access = 'visitor' | Role

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * The kind of an answer. A Zod schema means JSON: the server checks each answer against the schema,
 * and the browser's calls get their types from it. With `raw`, the endpoint's own code makes the
 * answer: bytes, a page, prepared JSON, a picture, a redirect or text.
 */
export type Answer = ZodType | { raw: 'bytes' | 'json' | 'page' | 'png' | 'redirect' | 'text' }

/** One row of the table of endpoints. Paths name their parameters in braces, as OpenAPI does. */
export interface Endpoint {
  method: Method
  path: `/${string}`
  summary: string
  access: Access
  /**
   * True if pages that stay open make this call by themselves. The call needs a session like any
   * other call of a user. But it does not count as a use of the session, so a forgotten page does
   * not prolong it (see `rules/session-life.ts`).
   */
  isPolled?: true
  params?: ZodType
  query?: ZodType
  body?: ZodType
  /** The largest size of the JSON body in bytes, where it may be larger than in other calls. */
  maxBodySize?: number
  /**
   * For a body that is not JSON: its allowed media types, and its largest size in bytes. The
   * endpoint's own code reads it.
   */
  bytes?: { types: readonly string[]; maxSize: number }
  response: Answer
  /** The error codes that this endpoint can answer besides those of `commonErrors`. */
  errors: readonly ErrorCode[]
  /**
   * How long browsers keep an answer in JSON, in seconds. If it is absent, they do not keep it. For
   * a `raw` answer, the endpoint's own code decides.
   */
  cacheSeconds?: number
}

/** The error codes that any endpoint can answer. */
export const commonErrors = [
  'INVALID_INPUT',
  'FOREIGN_ORIGIN',
  'BODY_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'SERVER_BUSY',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** Checks the shape of a row and keeps its literal types. */
export function endpoint<const E extends Endpoint>(row: E): E {
  return row
}

/** True for endpoints whose answer is JSON checked against a schema. */
export function answersJson(answer: Answer): answer is ZodType {
  return !('raw' in answer)
}
