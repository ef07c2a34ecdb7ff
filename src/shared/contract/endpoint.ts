import type { ZodType } from 'zod'
import type { KeyScope } from '../rules/accounts/api-key.ts'
import type { Role } from '../rules/accounts/role.ts'
import type { ErrorCode } from './errors.ts'

/** Who can call an endpoint. Every endpoint must specify this. */
export type Access = 'visitor' | Role | ScopedAccess

/** Open to signed-in users and to programs with an API key. */
export interface ScopedAccess {
  /** The scope that the key must have. */
  scope: KeyScope
  /** Also for senders with the token of a delivery. */
  uploadToken?: true
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * The response: either a Zod schema that the server validates JSON against, or `raw` if the handler
 * writes the response itself.
 */
export type EndpointResponse =
  | ZodType
  | {
      raw: 'bytes' | 'json' | 'page' | 'png' | 'redirect' | 'text'
      /** The response to clients that accept JSON. */
      json?: ZodType
    }

/** One endpoint of the HTTP API. As in OpenAPI, path parameters are in braces. */
export interface Endpoint {
  method: Method
  path: `/${string}`
  /** Plain text for the OpenAPI document, without a period at the end. */
  summary: string
  access: Access
  /** Set if open pages poll this endpoint. Calling it doesn't extend the session. */
  isPolled?: true
  params?: ZodType
  query?: ZodType
  body?: ZodType
  /** Maximum size of a JSON body in bytes, if it differs from the default. */
  maxBodySize?: number
  /**
   * For a body that isn't JSON: the allowed media types and the maximum size in bytes; null if the
   * handler reads the body as a stream. Such an endpoint is for programs: its errors are plain
   * text, unless the client accepts JSON.
   */
  bytes?: { types: readonly string[]; maxSize: number | null }
  response: EndpointResponse
  /** The status of a success, if it isn't 200. */
  status?: 201 | 202 | 204
  /** Error codes in addition to `commonErrors` and those that `access` implies. */
  errors?: readonly ErrorCode[]
  /** How long browsers cache a JSON response, in seconds. If omitted, they don't cache it. */
  cacheSeconds?: number
}

/** Error codes that any endpoint can return. */
const commonErrors: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'FOREIGN_ORIGIN',
  'BODY_TOO_LARGE',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'SERVER_BUSY',
  'UNAVAILABLE',
]

/** Defines an endpoint. The type parameters preserve its literal types. */
export function endpoint<
  const M extends Method,
  const P extends Endpoint['path'],
  const E extends Omit<Endpoint, 'method' | 'path'>,
>(method: M, path: P, options: E): { method: M; path: P } & E {
  return { method, path, ...options }
}

function errorsOfAccess(access: Access): readonly ErrorCode[] {
  if (access === 'visitor') return []
  if (access === 'admin') return ['UNAUTHORIZED', 'KEY_SCOPE', 'FORBIDDEN']
  const takesToken = typeof access === 'object' && access.uploadToken
  return ['UNAUTHORIZED', 'KEY_SCOPE', ...(takesToken ? (['REQUEST_NOT_FOUND'] as const) : [])]
}

/** Returns all error codes that an endpoint can return. */
export function errorsOf({ access, errors = [] }: Endpoint): ErrorCode[] {
  return [...errorsOfAccess(access), ...errors, ...commonErrors]
}

/** True if errors are plain text, unless the client accepts JSON. */
export function sendsTextErrors({ bytes }: Endpoint): boolean {
  return bytes?.maxSize === null
}

export function isJsonResponse(response: EndpointResponse): response is ZodType {
  return !('raw' in response)
}
