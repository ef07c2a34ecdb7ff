import type { z } from 'zod'
import type { requests } from '../../shared/contract/requests.ts'
import type { Deps } from '../deps.ts'
import { readPreferredDays } from '../files/preference-queries.ts'
import { type LinkTarget, startUploads } from '../uploads/start-upload.ts'
import type { OpenRequest } from './open-request.ts'
import { findDelivery } from './queries.ts'
import { toSenderError } from './sender-errors.ts'
import { createUploadToken } from './upload-token.ts'

type DeliveryRequest = z.output<typeof requests.createDelivery.body>

/**
 * Starts a delivery: a link of the request's owner that only the owner sees. Adds the files to an
 * earlier delivery instead if `linkId` names one of this request that still takes files. All files
 * are started, or none.
 * @throws {AppError} REQUEST_NOT_FOUND if the request has closed; REQUEST_FULL if it has all its
 * deliveries, or its owner has no room left; FILE_TOO_LARGE; as `startUploads`.
 */
export async function createDelivery(
  deps: Pick<Deps, 'clock' | 'db' | 'secret' | 'settings' | 'stores'>,
  { request, tier }: OpenRequest,
  { files, idempotencyKey, senderName, message }: DeliveryRequest,
  linkId: string | null,
) {
  const expirationDays = await readPreferredDays(deps, { id: request.ownerId, tier })
  // The keys of senders must not meet those of the owner, or of another request's senders.
  const uploads = files.map((file, index) => ({
    ...file,
    expirationDays,
    idempotencyKey: idempotencyKey && `${request.id}:${idempotencyKey}:${index}`,
  }))
  const earlier = linkId === null ? undefined : await findDelivery(deps.db, linkId)
  const requestId = request.id
  const target: LinkTarget =
    earlier?.takesFiles && earlier.requestId === requestId
      ? { kind: 'existing', shortCode: earlier.shortCode, requestId }
      : { kind: 'new', requestId, options: { requestId, senderName, message, shared: false } }
  try {
    const started = await startUploads(deps, request.ownerId, uploads, target)
    return {
      uploads: started.uploads,
      uploadToken: createUploadToken(deps.secret, started.linkId),
    }
  } catch (error) {
    throw toSenderError(error)
  }
}
