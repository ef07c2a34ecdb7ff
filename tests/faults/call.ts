import type { ErrorBody, ErrorCode } from '../../src/shared/contract/errors.ts'
import { Violation } from './expected-file.ts'
import { expectValidServerError } from './valid-server-error.ts'

/**
 * The errors that a healthy server may return for each user action. Possible reasons: a free user
 * has too many files or can't renew, a file was deleted or purged, a link expired, an interrupted
 * upload has ended, an upload lost its slot after 15 idle minutes, or the upload was already sealed
 * by a confirm whose response was lost. A delivery whose uploads were idle for a day is gone, and
 * its token with it.
 */
const allowedErrors = {
  'start an upload': ['TIER_FILE_COUNT'],
  'send bytes': ['SIGNATURE_EXPIRED', 'UPLOAD_SEALED', 'UPLOAD_NOT_FOUND'],
  confirm: ['TIER_FILE_COUNT', 'UPLOAD_INCOMPLETE', 'UPLOAD_NOT_FOUND', 'UPLOAD_SUPERSEDED'],
  download: ['LINK_NOT_FOUND'],
  renew: ['TIER_RENEWAL', 'FILE_NOT_FOUND', 'FILE_GONE'],
  delete: ['FILE_NOT_FOUND'],
  'start a link': [],
  'confirm a link': [],
  'request files': [],
  'start a delivery': ['REQUEST_NOT_FOUND', 'REQUEST_FULL'],
  'list deliveries': [],
  'confirm a delivery': ['REQUEST_NOT_FOUND', 'UPLOAD_INCOMPLETE', 'UPLOAD_NOT_FOUND'],
  'share a delivery': ['LINK_NOT_FOUND'],
  'download a link': ['LINK_NOT_FOUND'],
  'delete a link': ['LINK_NOT_FOUND'],
  'change the password': [],
  'log in': ['INVALID_CREDENTIALS'],
} as const satisfies Record<string, readonly ErrorCode[]>

export type UserAction = keyof typeof allowedErrors
export const userActions = Object.keys(allowedErrors) as UserAction[]

export interface Caller {
  url: string
  successCounts: Map<UserAction, number>
  /** True if a password change whose response was lost may have ended the session. */
  hasUncertainSession(): boolean
}

/**
 * Sends a request. Returns null if its outcome is unknown because the connection broke or the
 * server returned a 5xx. Doesn't check responses from a bucket.
 * @throws {Violation} if the server returned a malformed 5xx or an unexpected 4xx.
 */
export async function call(
  caller: Caller,
  action: UserAction,
  request: () => Promise<Response>,
): Promise<Response | null> {
  const response = await request().catch(() => null)
  if (response === null) return null
  const isFromServer = new URL(response.url).origin === caller.url
  if (response.status >= 500) {
    if (isFromServer) await expectValidServerError(response)
    else await response.arrayBuffer().catch(() => {})
    return null
  }
  if (response.status >= 400) {
    if (isFromServer) await expectAllowedError(caller, action, response.clone())
  } else caller.successCounts.set(action, (caller.successCounts.get(action) ?? 0) + 1)
  return response
}

async function expectAllowedError(
  caller: Caller,
  action: UserAction,
  response: Response,
): Promise<void> {
  const body = await response.text().catch(() => null)
  // The connection broke mid-response.
  if (body === null) return
  const { code } = JSON.parse(body) as ErrorBody
  if (allowedErrors[action].some((allowedCode) => allowedCode === code)) return
  if (code === 'UNAUTHORIZED' && caller.hasUncertainSession()) return
  throw new Violation(`to ${action} was refused with ${response.status} ${code}`)
}
