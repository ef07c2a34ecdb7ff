import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { ZodType, z } from 'zod'
import { type Endpoint, isJsonResponse, sendsTextErrors } from '../../shared/contract/endpoint.ts'
import { type EndpointName, type Endpoints, endpoints } from '../../shared/contract/index.ts'
import type { Role } from '../../shared/rules/accounts/role.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from './env.ts'
import { bodyLimit, FairLimit, largeBodies } from './limits.ts'
import { nameRoute } from './request-context.ts'
import {
  type KeyCaller,
  readBearerKey,
  type Session,
  type SessionUser,
  type Uploader,
} from './session.ts'

type Parsed<T> = T extends ZodType ? z.output<T> : undefined
type Field<E, K extends string> = E extends { [key in K]: infer T } ? Parsed<T> : undefined

/** A parsed and authorized API call. */
export interface Call<E extends Endpoint> {
  params: Field<E, 'params'>
  query: Field<E, 'query'>
  body: Field<E, 'body'>
  user: E['access'] extends 'visitor' | { uploadToken: true } ? undefined : SessionUser
  /** What rate limits count: the id of the API key, or else of the user. */
  caller: E['access'] extends 'visitor' | { uploadToken: true } ? undefined : string
  /** Undefined if an API key can make the call. */
  sessionId: E['access'] extends Role ? string : undefined
  uploader: E['access'] extends { uploadToken: true } ? Uploader : undefined
  clientAddress: string
  /** The origin for this server's URLs in the response; see `HttpEnv`. */
  publicOrigin: string
  log: Logger
  /** Used to set response headers and to send anything other than JSON. */
  context: Context<HttpEnv>
}

type Result<E extends Endpoint> = E['response'] extends ZodType
  ? z.input<E['response']>
  : Response | Promise<Response>

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Result<E>> | Result<E>

/** Handlers for endpoints, by endpoint name. */
export type Handlers = { [Name in EndpointName]: Handler<Endpoints[Name]> }

interface MountOptions {
  /** Refuses cross-site requests with side effects. */
  sameOrigin: MiddlewareHandler<HttpEnv>
  /**
   * Returns a request's session, or null if the user isn't signed in. `isPolled` calls don't extend
   * the session.
   */
  session(context: Context<HttpEnv>, options?: { isPolled?: boolean }): Promise<Session | null>
  /**
   * Returns the owner of an API key.
   * @throws {AppError} UNAUTHORIZED unless the key works.
   */
  keyCaller(context: Context<HttpEnv>, key: string): Promise<KeyCaller>
  /**
   * Returns the sender whose token the request carries, or null.
   * @throws {AppError} UNAUTHORIZED; REQUEST_NOT_FOUND for a delivery that is over.
   */
  sender(context: Context<HttpEnv>): Promise<Uploader | null>
  /** @throws {AppError} SERVER_BUSY while too many requests wait for the database. */
  shedLoad(): void
}

/**
 * Turns the endpoint table into routes. Each route checks origin, size and access, parses the
 * request and calls its handler. A JSON response is parsed with its schema, so that no undeclared
 * field leaves the server.
 */
export function mount(handlers: Handlers, options: MountOptions): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const memory = new FairLimit(largeBodies)
  for (const [declaredPath, names] of Map.groupBy(
    Object.keys(endpoints) as EndpointName[],
    getPath,
  )) {
    // A file name can be empty, or contain slashes and line breaks.
    const path = declaredPath.replace('{name}', ':name{[\\s\\S]*}').replaceAll(/\{(\w+)\}/g, ':$1')
    const methods = names.map((name) => endpoints[name].method)
    const sendsText = names.some((name) => sendsTextErrors(endpoints[name]))
    app.use(path, (context, next) => {
      nameRoute(context.env.outgoing, declaredPath)
      context.set('sendsTextErrors', sendsText && !acceptsJson(context))
      return next()
    })
    for (const name of names) {
      const { method, bytes, maxBodySize = defaultMaxBodySize }: Endpoint = endpoints[name]
      const maxSize = bytes ? bytes.maxSize : maxBodySize
      const handle = route(name, handlers, options)
      if (maxSize === null) app.on(method, path, options.sameOrigin, handle)
      else app.on(method, path, options.sameOrigin, bodyLimit(maxSize, memory), handle)
    }
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
    app.all(path, () => {
      throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow } })
    })
  }
  return app
}

/** True if the client asks for JSON, not just for anything. */
export function acceptsJson(context: Context<HttpEnv>): boolean {
  return context.req.header('accept')?.includes('application/json') === true
}

function getPath(name: EndpointName) {
  return endpoints[name].path
}

/** The default body limit in bytes. */
const defaultMaxBodySize = 64 * 1024

/** Operators need these endpoints even when the server is overloaded. */
const alwaysServedEndpoints = new Set<EndpointName>([
  'health',
  'ready',
  'metrics',
  'openApi',
  'docs',
])

function route(name: EndpointName, handlers: Handlers, options: MountOptions) {
  const row: Endpoint = endpoints[name]
  const schema = isJsonResponse(row.response) ? row.response : null
  // The handler's type depends on `name`, which isn't known statically.
  const handler = handlers[name] as unknown as Handler<Endpoint>
  return async (context: Context<HttpEnv>): Promise<Response> => {
    if (!alwaysServedEndpoints.has(name)) options.shedLoad()
    const caller = await requireAccess(row, context, options)
    const params = parse(row.params, context.req.param())
    const query = parse(row.query, context.req.query())
    const body = row.body ? parse(row.body, parseJson(context)) : undefined
    const response = await handler({
      params,
      query,
      body,
      ...caller,
      // `context.var` would copy all variables on each access.
      clientAddress: context.get('clientAddress'),
      publicOrigin: context.get('publicOrigin'),
      log: context.get('log'),
      context,
    } as Call<Endpoint>)
    if (schema === null) return response as Response
    const { cacheSeconds, status } = row
    if (status !== undefined) context.status(status)
    context.header('cache-control', cacheSeconds ? `public, max-age=${cacheSeconds}` : 'no-store')
    return context.json(schema.parse(response) as object)
  }
}

interface Caller {
  user?: SessionUser
  caller?: string
  sessionId?: string
  uploader?: Uploader
}

/**
 * Returns the caller, as far as the endpoint needs to know.
 * @throws {AppError} UNAUTHORIZED, KEY_SCOPE, FORBIDDEN; REQUEST_NOT_FOUND for a delivery that is
 * over.
 */
async function requireAccess(
  row: Endpoint,
  context: Context<HttpEnv>,
  options: MountOptions,
): Promise<Caller> {
  if (row.access === 'visitor') return {}
  if (typeof row.access === 'string' || !row.access.uploadToken) {
    return requireUser(row, context, options)
  }
  const sender = await options.sender(context)
  if (sender) return { uploader: sender }
  const { user } = await requireUser(row, context, options)
  return { uploader: { isSender: false, ownerOf: async () => user.id } }
}

/** @throws {AppError} UNAUTHORIZED, KEY_SCOPE or FORBIDDEN. */
async function requireUser(
  row: Endpoint,
  context: Context<HttpEnv>,
  options: MountOptions,
): Promise<{ user: SessionUser; caller: string; sessionId?: string }> {
  const key = readBearerKey(context)
  if (key !== null) {
    const { id, user, scopes } = await options.keyCaller(context, key)
    const isAllowed = typeof row.access === 'object' && scopes.includes(row.access.scope)
    if (!isAllowed) throw new AppError('KEY_SCOPE')
    return { user, caller: id }
  }
  const session = await options.session(context, row)
  if (!session) throw new AppError('UNAUTHORIZED')
  if (row.access === 'admin' && session.user.role !== 'admin') throw new AppError('FORBIDDEN')
  return { user: session.user, caller: session.user.id, sessionId: session.id }
}

/** Returns the raw request body, for endpoints declared with `bytes`. */
export function bodyBytes(context: Context<HttpEnv>): Uint8Array {
  return context.get('body') ?? new Uint8Array()
}

/** Returns the fields of a submitted form. Of fields with the same name, the last one counts. */
export function formFields(context: Context<HttpEnv>): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bodyBytes(context))))
}

function parseJson(context: Context<HttpEnv>): unknown {
  const text = context.get('body')?.toString() ?? ''
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('INVALID_INPUT', { message: 'The body is not valid JSON.' })
  }
}

function parse(schema: ZodType | undefined, input: unknown): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(input)
  if (!parsed.success)
    throw new AppError('INVALID_INPUT', { message: describeIssues(parsed.error.issues) })
  return parsed.data
}

/** Describes all input issues, each with the name of its field. */
function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message))
    .join('; ')
}
