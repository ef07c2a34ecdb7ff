import type { z } from 'zod'
import type { startBody } from '../../shared/contract/uploads.ts'
import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { runBatch } from '../http/run-batch.ts'
import { confirmUpload } from './confirm-upload.ts'
import { abortUpload } from './end-uploads.ts'
import { requireOwner, startUploads } from './start-upload.ts'
import { listParts, signParts } from './upload-parts.ts'

type UploadEndpoint =
  | 'getUploadUrl'
  | 'getUploadUrls'
  | 'signParts'
  | 'listParts'
  | 'confirmUpload'
  | 'confirmUploads'
  | 'createFileRecord'
  | 'abortUpload'

type StartBody = z.output<typeof startBody>

/** Syncing files to disk, or completing them in a bucket, takes longer than the transactions. */
const confirmedAtOnce = 8

/**
 * Routes for the upload protocol (design §5). File bytes don't pass through them: clients send the
 * bytes to presigned URLs.
 */
export function uploadRoutes(
  deps: Pick<Deps, 'requestJob' | 'clock' | 'db' | 'log' | 'settings' | 'stores'>,
): Handlers<UploadEndpoint> {
  const depsWithOrigin = (origin: string) => ({ ...deps, stores: deps.stores.withOrigin(origin) })
  const start = async (body: StartBody, ownerId: string, publicOrigin: string) => {
    requireOwner(body, ownerId)
    const uploads = await startUploads(depsWithOrigin(publicOrigin), ownerId, [body], null)
    return uploads[0] as (typeof uploads)[number]
  }
  return {
    getUploadUrl: ({ body, user, publicOrigin }) => start(body, user.id, publicOrigin),
    // In order, so that the last files are refused if there isn't room for all of them.
    getUploadUrls: ({ body, user, publicOrigin, context }) =>
      runBatch(context, body.files, 1, (file) => start(file, user.id, publicOrigin)),
    signParts: ({ body, user, publicOrigin }) =>
      signParts(depsWithOrigin(publicOrigin), user.id, body),
    listParts: ({ query, user }) => listParts(deps, user.id, query.cloudKey),
    confirmUpload: ({ body, user }) => confirmUpload(deps, user.id, body),
    confirmUploads: ({ body, user, context }) =>
      runBatch(context, body.uploads, confirmedAtOnce, (upload) =>
        confirmUpload(deps, user.id, upload),
      ),
    createFileRecord: ({ body, user }) => confirmUpload(deps, user.id, body),
    async abortUpload({ body, user, log }) {
      await abortUpload(deps, user.id, body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  }
}
