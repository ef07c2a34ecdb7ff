import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { abortUpload } from './abort-upload.ts'
import { confirmUpload } from './confirm-upload.ts'
import { listParts } from './list-parts.ts'
import { prepareUploads } from './prepared-queries.ts'
import { signParts } from './sign-parts.ts'
import { startUpload } from './start-upload.ts'
import { UnfinishedTotal } from './unfinished-total.ts'

type UploadEndpoint =
  | 'getUploadUrl'
  | 'signParts'
  | 'listParts'
  | 'confirmUpload'
  | 'createFileRecord'
  | 'abortUpload'

/**
 * The calls of the upload protocol (design §5). Clients send the bytes themselves to presigned
 * URLs, and not to these calls.
 */
export function uploadRoutes(
  given: Pick<Deps, 'clock' | 'db' | 'log' | 'settings' | 'stores'>,
): Handlers<UploadEndpoint> {
  const unfinished = new UnfinishedTotal(given.db, given.clock)
  const deps = { ...given, ...prepareUploads(given.db), unfinished }
  const { stores } = deps
  return {
    getUploadUrl: ({ body, user, publicOrigin }) =>
      startUpload({ ...deps, stores: stores.under(publicOrigin) }, user, body),
    signParts: ({ body, user, publicOrigin }) =>
      signParts({ ...deps, stores: stores.under(publicOrigin) }, user.id, body),
    listParts: ({ query, user }) => listParts(deps, user.id, query.cloudKey),
    confirmUpload: ({ body, user }) => confirmUpload(deps, user, body),
    createFileRecord: ({ body, user }) => confirmUpload(deps, user, body),
    async abortUpload({ body, user, log }) {
      await abortUpload(deps, user.id, body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  }
}
