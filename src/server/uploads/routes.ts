import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { runBatch } from '../http/run-batch.ts'
import type { Uploader } from '../http/session.ts'
import { toSenderError } from '../requests/sender-errors.ts'
import { type ConfirmRequest, confirmUploads } from './confirm-upload.ts'
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
  deps: Pick<Deps, 'requestJob' | 'clock' | 'db' | 'log' | 'mailQueue' | 'settings' | 'stores'>,
): Handlers<UploadEndpoint> {
  const depsWithOrigin = (origin: string) => ({ ...deps, stores: deps.stores.withOrigin(origin) })

  /** Confirms uploads. A sender gets neither the link nor errors about the owner's account. */
  const confirm = async (uploader: Uploader, requests: readonly ConfirmRequest[]) => {
    const results = await confirmUploads(deps, uploader, requests)
    if (uploader.linkId === null) return results
    return results.map((result) => {
      if (result.status === 'rejected') return { ...result, reason: toSenderError(result.reason) }
      const { originalName, mimeType, size } = result.value
      return { ...result, value: { originalName, mimeType, size } }
    })
  }

  return {
    getUploadUrl: async ({ body, user, publicOrigin }) =>
      onlyValue(await startUploads(depsWithOrigin(publicOrigin), user.id, [body])),
    getUploadUrls: ({ body, user, publicOrigin, context }) =>
      runBatch(context, body.files, (requests) =>
        startUploads(depsWithOrigin(publicOrigin), user.id, requests),
      ),
    signParts: ({ body, uploader, publicOrigin }) =>
      signParts(depsWithOrigin(publicOrigin), uploader, body),
    listParts: ({ query, uploader }) => listParts(deps, uploader, query.cloudKey),
    confirmUpload: async ({ body, uploader }) => onlyValue(await confirm(uploader, [body])),
    confirmUploads: ({ body, uploader, context }) =>
      runBatch(context, body.uploads, (requests) => confirm(uploader, requests)),
    createFileRecord: async ({ body, user }) =>
      onlyValue(await confirmUploads(deps, { ownerId: user.id, linkId: null }, [body])),
    async abortUpload({ body, uploader, log }) {
      await abortUpload(deps, uploader, body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  }
}

/** Unwraps a list with a single result: returns its value or throws its error. */
function onlyValue<Value>([result]: readonly PromiseSettledResult<Value>[]): Value {
  if (result?.status === 'fulfilled') return result.value
  throw result?.reason
}
