import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { confirmUpload } from './confirm-upload.ts'
import { abortUpload } from './end-uploads.ts'
import { requireOwner, startUploads } from './start-upload.ts'
import { listParts, signParts } from './upload-parts.ts'

type UploadEndpoint =
  | 'getUploadUrl'
  | 'signParts'
  | 'listParts'
  | 'confirmUpload'
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
  return {
    async getUploadUrl({ body, user, publicOrigin }) {
      requireOwner(body, user.id)
      const target = { kind: 'new', options: {} } as const
      const uploads = await startUploads(depsWithOrigin(publicOrigin), user.id, [body], target)
      return uploads[0] as (typeof uploads)[number]
    },

    signParts: ({ body, user, publicOrigin }) =>
      signParts(depsWithOrigin(publicOrigin), user.id, body),
    listParts: ({ query, user }) => listParts(deps, user.id, query.cloudKey),
    confirmUpload: ({ body, user }) => confirmUpload(deps, user.id, body),
    createFileRecord: ({ body, user }) => confirmUpload(deps, user.id, body),
    async abortUpload({ body, user, log }) {
      await abortUpload(deps, user.id, body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  }
}
