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
  /** The error codes that it can return besides those of its access and `commonErrors`. */
  errors?: readonly ErrorCode[]
  /** How long browsers cache a JSON answer, in seconds. By default, they don't. */
  cacheSeconds?: number
}

/** The error codes that any endpoint can return. */
const commonErrors: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'FOREIGN_ORIGIN',
  'BODY_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'SERVER_BUSY',
  'UNAVAILABLE',
]

/** Describes an endpoint. The type keeps its literals. */
export function endpoint<
  const M extends Method,
  const P extends Endpoint['path'],
  const E extends Omit<Endpoint, 'method' | 'path'>,
>(method: M, path: P, row: E): { method: M; path: P } & E {
  return { method, path, ...row }
}

const accessErrors: Readonly<Record<Access, readonly ErrorCode[]>> = {
  visitor: [],
  user: ['UNAUTHORIZED'],
  admin: ['UNAUTHORIZED', 'FORBIDDEN'],
}

/** Returns every error code that an endpoint can return. */
export function errorsOf({ access, errors = [] }: Endpoint): ErrorCode[] {
  return [...accessErrors[access], ...errors, ...commonErrors]
}

export function answersJson(answer: Answer): answer is ZodType {
  return !('raw' in answer)
}
