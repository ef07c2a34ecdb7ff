import type { Endpoints } from '../shared/contract/index.ts'
import type { CallInput, CallResponse, JsonEndpointName } from '../web/api/call.ts'
import { parseWholeNumber } from '../web/uploads/transfer/storage-request.ts'
import type { CallError, Outcome } from '../web/uploads/upload-errors.ts'
import type { Settings } from './settings.ts'

/** Written out, because the contract itself contains all schemas. */
const paths = {
  abortUpload: 'POST /api/files/abort-upload',
  addFiles: 'POST /api/links/{code}/files',
  confirmUploads: 'POST /api/files/confirm-uploads',
  createLink: 'POST /api/links',
  createRequest: 'POST /api/requests',
  deleteLink: 'DELETE /api/links/{code}',
  linkDetails: 'GET /api/links/{code}',
  listLinks: 'GET /api/links',
  listParts: 'GET /api/files/upload-parts',
  ready: 'GET /api/ready',
  renewLink: 'PATCH /api/links/{code}/renew',
  signParts: 'POST /api/files/upload-parts',
} as const satisfies {
  [Name in JsonEndpointName]?: `${Endpoints[Name]['method']} ${Endpoints[Name]['path']}`
}
type EndpointName = keyof typeof paths

export const noResponse: CallError = { status: null, code: null, message: null }

/** A page of a list, or all there is. `next` is the cursor of the next page, or null. */
type CallOutcome<Value> = Outcome<Value> & { next?: string | null }

/** Calls an endpoint. Never rejects; an aborted call resolves as if there were no response. */
export type Call = <Name extends EndpointName>(
  name: Name,
  input?: Omit<CallInput<Name>, 'fresh'>,
) => Promise<CallOutcome<CallResponse<Name>>>

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
}

/** Returns the headers that authorize a request, of which there are none without a key. */
export function authorization({ key }: Pick<Settings, 'key'>): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` }
}

/** @param headers sent with every call. */
export function createCall(origin: string, headers: Record<string, string>): Call {
  return async (name, input) => {
    const { params = {}, query = {}, body, signal }: AnyInput = input ?? {}
    const [method = '', path = ''] = paths[name].split(' ')
    const url = new URL(fillPath(path, params), origin)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value))
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect could turn a POST into a GET.
        redirect: 'manual',
        signal: signal ?? null,
      })
      if (!response.ok) return { ok: false, error: await toCallError(response) }
      return { ok: true, value: await response.json(), next: response.headers.get('x-next-cursor') }
    } catch {
      return { ok: false, error: noResponse }
    }
  }
}

/** Reads an error response. A proxy may have replaced its body. */
export async function toCallError(response: Response): Promise<CallError> {
  const body = await response.json().catch(() => null)
  const seconds = parseWholeNumber(response.headers.get('retry-after'))
  return {
    status: response.status,
    code: body?.code ?? null,
    message: body?.message ?? null,
    errors: body?.errors ?? [],
    retryAfterMs: seconds === null ? null : seconds * 1000,
  }
}

export function fillPath(path: string, params: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
}
