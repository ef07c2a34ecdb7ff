import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { runBatch } from '../http/run-batch.ts'
import { confirmUploads } from './confirm-upload.ts'
import { abortUpload } from './end-uploads.ts'
import { startUploads } from './start-upload.ts'
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

/**
 * Routes for the upload protocol (design §5). File bytes don't pass through them: clients send the
 * bytes to presigned URLs.
 */
export function uploadRoutes(
  deps: Pick<Deps, 'requestJob' | 'clock' | 'db' | 'log' | 'settings' | 'stores'>,
): Handlers<UploadEndpoint> {
  const depsWithOrigin = (origin: string) => ({ ...deps, stores: deps.stores.withOrigin(origin) })
  const confirmOne = async (
    ownerId: string,
    request: Parameters<typeof confirmUploads>[2][number],
  ) => onlyValue(await confirmUploads(deps, ownerId, [request]))
  return {
    getUploadUrl: async ({ body, user, publicOrigin }) =>
      onlyValue(await startUploads(depsWithOrigin(publicOrigin), user.id, [body])),
    getUploadUrls: ({ body, user, publicOrigin, context }) =>
      runBatch(context, body.files, (requests) =>
        startUploads(depsWithOrigin(publicOrigin), user.id, requests),
      ),
    signParts: ({ body, uploader, publicOrigin }) =>
      signParts(depsWithOrigin(publicOrigin), uploader.ownerId, body),
    listParts: ({ query, uploader }) => listParts(deps, uploader.ownerId, query.cloudKey),
    confirmUpload: ({ body, uploader }) => confirmOne(uploader.ownerId, body),
    confirmUploads: ({ body, uploader, context }) =>
      runBatch(context, body.uploads, (requests) =>
        confirmUploads(deps, uploader.ownerId, requests),
      ),
    createFileRecord: ({ body, user }) => confirmOne(user.id, body),
    async abortUpload({ body, uploader, log }) {
      await abortUpload(deps, uploader.ownerId, body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  }
}

/** Unwraps a list with a single result: returns its value or throws its error. */
function onlyValue<Value>([result]: readonly PromiseSettledResult<Value>[]): Value {
  if (result?.status === 'fulfilled') return result.value
  throw result?.reason
}
