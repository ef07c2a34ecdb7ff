import type { ZodType, z } from 'zod'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import { type Endpoints, endpoints } from '../../shared/contract/index.ts'
import { dropHint, readHint } from './hint-cookie.ts'
import { readNewDate, serverClock } from './server-clock.ts'

/**
 * The endpoints that answer with JSON. The others answer with pages, bytes or redirects, which the
 * browser opens without `call`.
 */
export type JsonEndpointName = {
  [Name in keyof Endpoints]: Endpoints[Name]['response'] extends ZodType ? Name : never
}[keyof Endpoints]

type Part<Name extends JsonEndpointName, Key extends 'params' | 'query' | 'body'> =
  Endpoints[Name] extends Record<Key, infer Schema extends ZodType>
    ? { [K in Key]: z.input<Schema> }
    : unknown

/** The body of an endpoint that takes bytes. */
type Bytes<Name extends JsonEndpointName> = Endpoints[Name] extends { bytes: unknown }
  ? { bytes: Blob }
  : unknown

/** The input of a call: exactly the parts that its endpoint declares. */
export type CallInput<Name extends JsonEndpointName> = Part<Name, 'params'> &
  Partial<Part<Name, 'query'>> &
  Part<Name, 'body'> &
  Bytes<Name> & {
    signal?: AbortSignal
    /**
     * If true, the browser does not use an answer from its cache. It asks the server and caches the
     * new answer.
     */
    fresh?: boolean
  }

export type CallAnswer<Name extends JsonEndpointName> = z.output<
  Extract<Endpoints[Name]['response'], ZodType>
>

/**
 * The server answered with an error status. Spec §8: the message is '{status}: {body text or status
 * text}'.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The error code of `errorTable`; undefined if the body has none. */
  readonly code: ErrorCode | undefined
  /** The `message` field of the body, a sentence for people. */
  readonly publicMessage: string | undefined
  /** The header `Retry-After`: when to send the request again. */
  readonly retryAfter: string | undefined

  constructor(
    status: number,
    text: string,
    body: { message?: string | undefined; code?: ErrorCode | undefined } = {},
    retryAfter?: string | undefined,
  ) {
    super(`${status}: ${text}`)
    this.status = status
    this.code = body.code
    this.publicMessage = body.message
    this.retryAfter = retryAfter
  }
}

/**
 * No answer came, or an answer that cannot be read: the connection failed, or a proxy changed the
 * answer.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'

  constructor(cause: unknown) {
    super('The server could not be reached.', { cause })
  }
}

/**
 * Returns the sentence for people in the error of a failed call; undefined if the server sent none.
 */
export function publicMessage(error: unknown): string | undefined {
  return error instanceof ApiError ? error.publicMessage : undefined
}

/** Tells whether the server refused a call with one of these codes. */
export function isRefusedAs(error: unknown, ...codes: ErrorCode[]): boolean {
  return error instanceof ApiError && error.code !== undefined && codes.includes(error.code)
}

/** Returns a handler for `catch` that ignores refusals with one of these codes. */
export function ignoring(...codes: ErrorCode[]): (error: unknown) => void {
  return (error) => {
    if (!isRefusedAs(error, ...codes)) throw error
  }
}

function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
}

function queryText(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

function field(body: unknown, name: string): string | undefined {
  const value = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes the error for a response with an error status. It reads the body. */
async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const body = parseJson(text)
  return new ApiError(
    response.status,
    text || response.statusText,
    { message: field(body, 'message'), code: field(body, 'code') as ErrorCode | undefined },
    response.headers.get('retry-after') ?? undefined,
  )
}

interface AnyInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  bytes?: Blob
  signal?: AbortSignal
  fresh?: boolean
}

/**
 * Sends a request to an endpoint (spec §7). Each answer corrects `serverClock`. If the session has
 * ended, the cookie that hints that somebody is signed in is removed, so that the next page need
 * not ask who is signed in.
 */
async function ask(name: JsonEndpointName, input: AnyInput = {}) {
  const { params = {}, query = {}, body, bytes, signal, fresh } = input
  const { method, path } = endpoints[name]
  const hint = readHint(document)
  const sentAt = Date.now()
  try {
    const response = await fetch(fillPath(path, params) + queryText(query), {
      method,
      credentials: 'include',
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      // A Blob brings its own content type.
      ...(bytes && { body: bytes }),
      ...(signal && { signal }),
      ...(fresh && { cache: 'reload' }),
    })
    const date = readNewDate(response.headers)
    if (date) serverClock().learn({ date, sentAt, receivedAt: Date.now() })
    if (!response.ok) throw await errorOf(response)
    return { body: await response.json(), next: response.headers.get('x-next-cursor') }
  } catch (error) {
    if (hint !== null && isRefusedAs(error, 'UNAUTHORIZED')) dropHint(document, hint)
    if (error instanceof ApiError) throw error
    signal?.throwIfAborted()
    throw new NetworkError(error)
  }
}

/** The input of a call as its last argument. It is optional if none of its parts is required. */
type Given<Name extends JsonEndpointName> =
  Partial<CallInput<Name>> extends CallInput<Name>
    ? [input?: CallInput<Name>]
    : [input: CallInput<Name>]

/**
 * Calls an endpoint by its name and returns the parsed JSON of its answer.
 * @throws {ApiError} on an error status
 * @throws {NetworkError} when no answer came or it is not JSON
 * @throws the signal's reason when it is aborted
 */
export async function call<Name extends JsonEndpointName>(
  name: Name,
  ...[input]: Given<Name>
): Promise<CallAnswer<Name>> {
  return (await ask(name, input as AnyInput)).body
}

/** One page of a list. */
export interface ListPage<Items> {
  items: Items
  /** The cursor of the next page; null after the last page. */
  next: string | null
}

/** Calls an endpoint that answers a list in pages: see `call`. */
export async function callForPage<Name extends JsonEndpointName>(
  name: Name,
  ...[input]: Given<Name>
): Promise<ListPage<CallAnswer<Name>>> {
  const { body, next } = await ask(name, input as AnyInput)
  return { items: body, next }
}
