import type { ZodType } from 'zod'
import type { Role } from '../rules/accounts/role.ts'
import type { ErrorCode } from './errors.ts'

/** Who can call an endpoint. There is no default. */
export type Access = 'visitor' | Role

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * An answer: JSON that matches a Zod schema, which the server checks, or `raw` for what the handler
 * writes itself.
 */
export type Answer = ZodType | { raw: 'bytes' | 'json' | 'page' | 'png' | 'redirect' | 'text' }

/** Paths have their parameters in braces, as in OpenAPI. */
export interface Endpoint {
  method: Method
  path: `/${string}`
  /** Plain text without a full stop, for the OpenAPI document. */
  summary: string
  access: Access
  /** Open pages poll it. So it doesn't extend the session. */
  isPolled?: true
  params?: ZodType
  query?: ZodType
  body?: ZodType
  /** The limit for the JSON body in bytes, if it is larger than that of other calls. */
  maxBodySize?: number
  /** For a body that is not JSON: its media types and its maximum size in bytes. */
  bytes?: { types: readonly string[]; maxSize: number }
  response: Answer
  /** The error codes that it can return besides `commonErrors`. */
  errors: readonly ErrorCode[]
  /** How long browsers cache a JSON answer, in seconds. By default, they don't. */
  cacheSeconds?: number
}

/** The error codes that any endpoint can return. */
export const commonErrors = [
  'INVALID_INPUT',
  'FOREIGN_ORIGIN',
  'BODY_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'SERVER_BUSY',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** Checks the type of an endpoint and keeps its literal types. */
export function endpoint<const E extends Endpoint>(row: E): E {
  return row
}

export function answersJson(answer: Answer): answer is ZodType {
  return !('raw' in answer)
}
