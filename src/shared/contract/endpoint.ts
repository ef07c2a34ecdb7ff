import type { ZodType } from 'zod'
import type { Role } from '../rules/role.ts'
import type { ErrorCode } from './errors.ts'

/** Who may call an endpoint. There is no default: an endpoint that names none does not compile. */
export type Access = 'visitor' | Role

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * What an answer carries. `json` is parsed, called and checked by the table alone;
 * `raw` answers (bytes, pages, redirects) are made by their handler.
 */
export type Answer = ZodType | { raw: 'bytes' | 'page' | 'redirect' | 'text' }

/** One row of the HTTP contract. Paths name their parameters in braces, as OpenAPI does. */
export interface Endpoint {
  method: Method
  path: `/${string}`
  summary: string
  access: Access
  params?: ZodType
  query?: ZodType
  body?: ZodType
  response: Answer
  /** The codes this endpoint can answer beside those any endpoint can (see `commonErrors`). */
  errors: readonly ErrorCode[]
}

/** The codes that any endpoint can answer. */
export const commonErrors = [
  'INVALID_INPUT',
  'FOREIGN_ORIGIN',
  'BODY_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** Keeps the literal types of a row while checking its shape. */
export function endpoint<const E extends Endpoint>(row: E): E {
  return row
}

/** True for endpoints whose answer is JSON checked against a schema. */
export function answersJson(answer: Answer): answer is ZodType {
  return !('raw' in answer)
}
