import type { Deps } from '../deps.ts'
import { answerBatch } from '../http/answer-batch.ts'
import type { Handlers } from '../http/mount.ts'
import { abortUpload } from './abort-upload.ts'
import { confirmUpload, confirmUploads } from './confirm-upload.ts'
import { listParts } from './list-parts.ts'
import { prepareUploads } from './prepared-queries.ts'
import { EvictionTurns } from './promise-room.ts'
import { signParts } from './sign-parts.ts'
import { startUpload, startUploads } from './start-upload.ts'
import { UnfinishedTotal } from './unfinished-total.ts'
import { largestFileNow } from './what-fits.ts'

type UploadEndpoint =
  | 'getUploadUrl'
  | 'getUploadUrls'
  | 'uploadRoom'
  | 'signParts'
  | 'listParts'
  | 'confirmUpload'
  | 'confirmUploads'
  | 'createFileRecord'
  | 'abortUpload'

/**
 * The calls of the upload protocol (design §5). Clients send the bytes themselves to presigned
 * URLs, and not to these calls.
 */
export function uploadRoutes(
  given: Pick<Deps, 'askForJob' | 'clock' | 'db' | 'log' | 'settings' | 'stores'>,
): Handlers<UploadEndpoint> {
  const unfinished = new UnfinishedTotal(given.db, given.clock)
  const evictionTurns = new EvictionTurns()
  const deps = { ...given, ...prepareUploads(given.db), evictionTurns, unfinished }
  const { stores } = deps
  return {
    getUploadUrl: ({ body, user, publicOrigin }) =>
      startUpload({ ...deps, stores: stores.under(publicOrigin) }, user, body),
    getUploadUrls: ({ body, user, publicOrigin, context }) =>
      answerBatch(context, body.files, (requests) =>
        startUploads({ ...deps, stores: stores.under(publicOrigin) }, user, requests),
      ),
    uploadRoom: async ({ user }) => ({ largestFile: await largestFileNow(deps, user.tier) }),
    signParts: ({ body, user, publicOrigin }) =>
      signParts({ ...deps, stores: stores.under(publicOrigin) }, user.id, body),
    listParts: ({ query, user }) => listParts(deps, user.id, query.cloudKey),
    confirmUpload: ({ body, user }) => confirmUpload(deps, user, body),
    confirmUploads: ({ body, user, context }) =>
      answerBatch(context, body.uploads, (confirmations) =>
        confirmUploads(deps, user, confirmations),
      ),
    createFileRecord: ({ body, user }) => confirmUpload(deps, user, body),
    async abortUpload({ body, user, log }) {
      await abortUpload(deps, user.id, body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  }
}
