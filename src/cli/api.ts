import * as http from 'node:http'
import * as https from 'node:https'
import { json, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Endpoints } from '../shared/contract/index.ts'
import type { CallInput, CallResponse, Route, RouteOf } from '../web/api/call.ts'
import { runAfter } from '../web/uploads/timers.ts'
import { isServerUp, isTransient } from '../web/uploads/transfer/retry-policy.ts'
import {
  type CallDeps,
  callWithRetries,
  type RepeatedCall,
} from '../web/uploads/transfer/upload-calls.ts'
import type { CallError, Outcome } from '../web/uploads/upload-errors.ts'
import { showText } from './progress.ts'

type CallOutcome<Value> = Outcome<Value> & { headers?: http.IncomingHttpHeaders }

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  signal?: AbortSignal
}

/** Calls an endpoint. Never rejects; an aborted call resolves as if there were no response. */
export interface Call {
  <R extends Route>(
    route: R,
    input?: Omit<CallInput<R>, 'fresh'>,
  ): Promise<CallOutcome<CallResponse<R>>>
  (route: RouteOf<Endpoints['unlockLink']>, input: AnyInput): Promise<CallOutcome<unknown>>
}

/** Whether the server has answered any call. */
let hasServerAnswered = false

export const noResponse: CallError = { status: null, code: null, message: 'no response' }

interface RequestOptions extends Pick<http.RequestOptions, 'method' | 'headers' | 'timeout'> {
  body?: string | AsyncIterable<Uint8Array>
  signal?: AbortSignal | undefined
}

/**
 * Sends a request. Rejects if the connection is lost before the response. Without a signal,
 * a minute without a byte in either direction counts as such.
 */
export function sendRequest(
  url: URL,
  { body = '', ...options }: RequestOptions,
): Promise<http.IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const timeout = options.signal ? 0 : 60_000
    const outgoing = request(url, { timeout, ...options } as http.RequestOptions)
    const abort = () => outgoing.destroy(new Error('The connection was lost.'))
    outgoing.on('response', resolve).on('error', reject).on('timeout', abort)
    if (typeof body === 'string') outgoing.end(body)
    else pipeline(body, outgoing).catch(abort)
  })
}

/** @param headers sent with every call. */
export function createCall(origin: string, headers: Record<string, string>): Call {
  return (async (route: string, { params = {}, query = {}, body, signal }: AnyInput = {}) => {
    const [method, path = ''] = route.split(' ')
    const fill = (_: string, name: string) => encodeURIComponent(params[name] ?? '')
    const url = new URL(path.replaceAll(/\{(\w+)\}/g, fill), origin)
    url.search = String(new URLSearchParams(query))
    try {
      const sentHeaders = { ...headers, 'content-type': 'application/json' }
      const options = { method, headers: sentHeaders, body: JSON.stringify(body) ?? '', signal }
      const response = await sendRequest(url, options)
      hasServerAnswered = true
      const error = await readError(response)
      if (error) return { ok: false, error }
      // Some responses have no body (204).
      const value = await text(response)
      return { ok: true, value: value && JSON.parse(value), headers: response.headers }
    } catch (error) {
      const cause = error as NodeJS.ErrnoException
      return { ok: false, error: { ...noResponse, message: cause.code ?? cause.message } }
    }
  }) as Call
}

/** Returns the error in a response, or null. A proxy may have replaced its body. */
export async function readError(response: http.IncomingMessage): Promise<CallError | null> {
  const { statusCode: status = 0 } = response
  if (status < 300) return null
  const body = (await json(response).catch(() => null)) as Partial<CallError> | null
  const { location = '' } = response.headers
  const message = body?.message ?? `The server answered with status ${status} ${location}`.trim()
  return { code: null, ...body, status, message, retryAfterMs: retryAfterMs(response) }
}

/** A date in the header counts as no delay. */
export function retryAfterMs({ headers }: http.IncomingMessage): number | null {
  return Number(headers['retry-after']) * 1000 || null
}

/** What the upload engine's retries need. */
export const retryOptions = {
  signal: new AbortController().signal,
  onInterrupted: () => showText('Waiting for the server …'),
}

type RetryRules = Pick<RepeatedCall<unknown, unknown>, 'shouldRetry' | 'timeoutMs'>

/** Calls an endpoint until the response is final. Fails at once if the server never answered. */
export function callRepeatedly<R extends Route>(
  call: Call,
  route: R,
  input: Omit<CallInput<R>, 'fresh'> & RetryRules,
): Promise<Outcome<CallResponse<R>>> {
  const { shouldRetry = isTransient, timeoutMs } = input
  const callOnce = (_: unknown, signal: AbortSignal) => call(route, { ...input, signal })
  const canRetry = (error: CallError) =>
    (hasServerAnswered || error.status !== null) && shouldRetry(error)
  const repeatedCall = { call: callOnce, input, shouldRetry: canRetry, timeoutMs }
  return callWithRetries(repeatedCall, retryOptions, createRetryDeps(call))
}

/** Returns what the upload engine needs to retry. */
export function createRetryDeps(call: Call): CallDeps {
  return {
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
    isServerReady: async () => isServerUp(await call('GET /api/ready')),
    timers: { runAfter },
  }
}
