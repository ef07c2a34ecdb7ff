import type { z } from 'zod'
import type { startBody, uploads } from '../../shared/contract/uploads.ts'
import type { Deps } from '../deps.ts'
import { toBatchResults } from '../http/batch-results.ts'
import type { Handlers } from '../http/mount.ts'
import { confirmUpload, confirmUploads } from './confirm-upload.ts'
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
    async getUploadUrls({ body, user, publicOrigin, context }) {
      const outcomes: PromiseSettledResult<z.input<typeof uploads.getUploadUrl.response>>[] = []
      // In order, so that the last files are refused if there isn't room for all of them.
      for (const file of body.files) {
        outcomes.push(...(await Promise.allSettled([start(file, user.id, publicOrigin)])))
      }
      return toBatchResults(context, outcomes)
    },
    signParts: ({ body, user, publicOrigin }) =>
      signParts(depsWithOrigin(publicOrigin), user.id, body),
    listParts: ({ query, user }) => listParts(deps, user.id, query.cloudKey),
    confirmUpload: ({ body, user }) => confirmUpload(deps, user.id, body),
    confirmUploads: async ({ body, user, context }) =>
      toBatchResults(context, await confirmUploads(deps, user.id, body.uploads)),
    createFileRecord: ({ body, user }) => confirmUpload(deps, user.id, body),
    async abortUpload({ body, user, log }) {
      await abortUpload(deps, user.id, body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  }
}
