import { call } from '../../api/call.ts'
import type { StartLink } from '../../uploads/transfer/upload-calls.ts'
import { toOutcome } from '../../uploads/upload-errors.ts'

/**
 * Returns the call that starts a delivery to a request, or adds files to an unfinished one. The
 * server starts a new delivery if the earlier one has ended.
 * @param code the end of the request's URL.
 */
export function createDeliveryStarter(code: string): StartLink {
  return async ({ link, files, idempotencyKey }, signal) => {
    const { senderName, message, uploadToken } = link
    const body = { senderName, message, files, idempotencyKey }
    const deliveryCall = call('POST /api/requests/{code}/links', {
      params: { code },
      body,
      uploadToken,
      signal,
    })
    const outcome = await toOutcome(deliveryCall)
    if (outcome.ok) {
      const { uploads, uploadToken } = outcome.value
      const delivery = { senderName, message, uploadToken }
      const tickets = uploads.map((upload) => ({ ...upload, uploadToken }))
      return { ok: true, value: { link: delivery, uploads: tickets } }
    }
    // Signing in wouldn't help.
    return outcome.error.status === 401
      ? { ok: false, error: { ...outcome.error, status: 403, message: reloadText } }
      : outcome
  }
}

const reloadText = 'Reload this page, and send the file again.'
