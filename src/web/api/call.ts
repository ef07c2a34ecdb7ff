import type { ZodType, z } from 'zod'
import type { ErrorCode, ListedError } from '../../shared/contract/errors.ts'
import type { Endpoints } from '../../shared/contract/index.ts'
import { deleteHint, readHint } from './hint-cookie.ts'
import { pageClock, readResponseDate } from './server-clock.ts'

type Endpoint = Endpoints[keyof Endpoints]

/** An endpoint's method and path, such as `DELETE /api/files/{id}`. */
export type RouteOf<E extends Endpoint> = E extends Endpoint ? `${E['method']} ${E['path']}` : never

/**
 * The endpoints that return JSON. All other endpoints return pages, bytes or redirects, which the
 * browser opens without `call`.
 */
export type Route = RouteOf<Extract<Endpoint, { response: ZodType }>>

/** The endpoints by route. Only types, so that pages don't load the contract's schemas. */
type EndpointsByRoute = {
  [E in Extract<Endpoint, { response: ZodType }> as RouteOf<E>]: E
}

type InputPart<R extends Route, Key extends 'params' | 'query' | 'body'> =
  EndpointsByRoute[R] extends Record<Key, infer Schema extends ZodType>
    ? { [K in Key]: z.input<Schema> }
    : unknown

type BytesInput<R extends Route> = EndpointsByRoute[R] extends { bytes: unknown }
  ? { bytes: Blob }
  : unknown

/** The input for a call, with exactly the parts that its endpoint declares. */
export type CallInput<R extends Route> = InputPart<R, 'params'> &
  Partial<InputPart<R, 'query'>> &
  InputPart<R, 'body'> &
  BytesInput<R> & {
    signal?: AbortSignal
    /** Authorizes the call for a delivery instead of the session (design §5). */
    uploadToken?: string | undefined
    /** If true, bypasses the browser's cache and updates it with the response. */
    fresh?: boolean
    /** The response to this request, if the page has sent it already. */
    early?: Promise<Response> | undefined
  }

export type CallResponse<R extends Route> = z.output<EndpointsByRoute[R]['response']>

/** An error response. The message is '{status}: {body text or status text}' (spec §8). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The error code, as listed in `errorTable`; undefined if the body has none. */
  readonly code: ErrorCode | undefined
  /** The body's `message` field, which is written for users. */
  readonly publicMessage: string | undefined
  /** The errors of the entries of a list that was refused as a whole. */
  readonly errors: readonly ListedError[]
  /** The raw `Retry-After` header. */
  readonly retryAfter: string | undefined

  constructor(
    status: number,
    text: string,
    body: {
      message?: string | undefined
      code?: ErrorCode | undefined
      errors?: readonly ListedError[]
    } = {},
    retryAfter?: string | undefined,
  ) {
    super(`${status}: ${text}`)
    this.status = status
    this.code = body.code
    this.publicMessage = body.message
    this.errors = body.errors ?? []
    this.retryAfter = retryAfter
  }
}

/**
 * Thrown if there is no usable response: the connection failed, or the response is not JSON, for
 * example because a proxy replaced it.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'

  constructor(cause: unknown) {
    super('The server could not be reached.', { cause })
  }
}

/** Returns the server's user-facing message for a failed call; undefined if it sent none. */
export function publicMessage(error: unknown): string | undefined {
  return error instanceof ApiError ? error.publicMessage : undefined
}

/** Reports whether a call failed with one of these error codes. */
export function hasErrorCode(error: unknown, ...codes: ErrorCode[]): boolean {
  return error instanceof ApiError && error.code !== undefined && codes.includes(error.code)
}

/** Returns a `catch` handler that ignores errors with one of these codes. */
export function ignoreErrors(...codes: ErrorCode[]): (error: unknown) => void {
  return (error) => {
    if (!hasErrorCode(error, ...codes)) throw error
  }
}

function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
}

function toQueryString(query: Record<string, unknown>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads an error body. A proxy may have replaced it, so any field may be missing or different. */
function readErrorBody(text: string) {
  const { message, code, errors }: Record<string, unknown> = Object(parseJson(text))
  return {
    message: typeof message === 'string' && message !== '' ? message : undefined,
    code: typeof code === 'string' ? (code as ErrorCode) : undefined,
    errors: Array.isArray(errors) ? (errors as ListedError[]) : [],
  }
}

/** Creates the error for a response with an error status. Consumes the body. */
async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  return new ApiError(
    response.status,
    text || response.statusText,
    readErrorBody(text),
    response.headers.get('retry-after') ?? undefined,
  )
}

interface AnyCallInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  bytes?: Blob
  signal?: AbortSignal
  uploadToken?: string | undefined
  fresh?: boolean
  early?: Promise<Response> | undefined
}

/**
 * Sends a request to an endpoint (spec §7). Each response updates `pageClock`. If the
 * session has ended, deletes the hint cookie so the next page doesn't try to load the user.
 */
async function sendRequest(route: Route, input: AnyCallInput = {}) {
  const { params = {}, query = {}, body, bytes, signal, uploadToken, fresh, early } = input
  const [method = '', path = ''] = route.split(' ')
  const hint = readHint(document)
  const sentAt = early ? performance.timeOrigin : Date.now()
  try {
    const response = await (early ??
      fetch(fillPath(path, params) + toQueryString(query), {
        method,
        credentials: 'include',
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(uploadToken !== undefined && { authorization: `Upload ${uploadToken}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // No content type is set here because a Blob provides its own.
        ...(bytes && { body: bytes }),
        ...(signal && { signal }),
        ...(fresh && { cache: 'reload' }),
      }))
    const date = readResponseDate(response.headers)
    if (date) pageClock.observe({ date, sentAt, receivedAt: Date.now() })
    if (!response.ok) throw await toApiError(response)
    return { body: await response.json(), next: response.headers.get('x-next-cursor') }
  } catch (error) {
    if (hint !== null && hasErrorCode(error, 'UNAUTHORIZED')) deleteHint(document, hint)
    if (error instanceof ApiError) throw error
    signal?.throwIfAborted()
    throw new NetworkError(error)
  }
}

/**
 * The arguments that follow the route. The input is optional if none of its parts is
 * required.
 */
type CallArguments<R extends Route> =
  Partial<CallInput<R>> extends CallInput<R> ? [input?: CallInput<R>] : [input: CallInput<R>]

/**
 * Calls an endpoint and returns the parsed JSON response.
 * @throws {ApiError} on an error status
 * @throws {NetworkError} if there is no response or it is not JSON
 * @throws the signal's reason if the call is aborted
 */
export async function call<R extends Route>(
  route: R,
  ...[input]: CallArguments<R>
): Promise<CallResponse<R>> {
  return (await sendRequest(route, input as AnyCallInput)).body
}

/** One page of a paginated list. */
export interface ListPage<Items> {
  items: Items
  /** The cursor for the next page; null on the last page. */
  next: string | null
}

/** Calls an endpoint that returns a paginated list; see `call`. */
export async function callForPage<R extends Route>(
  route: R,
  ...[input]: CallArguments<R>
): Promise<ListPage<CallResponse<R>>> {
  const { body, next } = await sendRequest(route, input as AnyCallInput)
  return { items: body, next }
}
