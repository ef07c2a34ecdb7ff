import type { z } from 'zod'
import { fileSchema } from '../../shared/contract/files.ts'
import type { startBody, uploads } from '../../shared/contract/uploads.ts'
import type { Deps } from '../deps.ts'
import { toBatchResults } from '../http/batch-results.ts'
import { acceptsJson, type Handlers } from '../http/mount.ts'
import { hashLinkPassword } from '../links/unlock.ts'
import { toSenderError } from '../requests/sender-errors.ts'
import { confirmUpload, confirmUploads } from './confirm-upload.ts'
import { abortUpload } from './end-uploads.ts'
import { putFile } from './put-file.ts'
import { requireOwner, startUploads } from './start-upload.ts'
import { listParts, signParts } from './upload-parts.ts'

type StartBody = z.output<typeof startBody>

/**
 * Routes for the upload protocol (design §5). File bytes don't pass through them: clients send the
 * bytes to presigned URLs.
 */
export function uploadRoutes(
  deps: Pick<
    Deps,
    | 'clock'
    | 'db'
    | 'log'
    | 'mailQueue'
    | 'passwords'
    | 'requestJob'
    | 'settings'
    | 'stores'
    | 'transfers'
  >,
) {
  const depsWithOrigin = (origin: string) => ({ ...deps, stores: deps.stores.withOrigin(origin) })
  const start = async (body: StartBody, ownerId: string, publicOrigin: string) => {
    requireOwner(body, ownerId)
    const { uploads } = await startUploads(depsWithOrigin(publicOrigin), ownerId, [body], null)
    return uploads[0] as (typeof uploads)[number]
  }
  return {
    getUploadUrl: ({ body, user, publicOrigin }) => start(body, user.id, publicOrigin),
    async putFile({ params, query, user, clientAddress, publicOrigin, log, context }) {
      const { days: expirationDays, password, maxDownloads } = query
      const passwordHash = await hashLinkPassword(deps, password, clientAddress)
      const { incoming: request, outgoing: response } = context.env
      const options = { passwordHash, maxDownloads }
      const put = { path: params.name, expirationDays, options }
      const file = await putFile({ ...deps, log }, user, put, {
        request,
        response,
        clientAddress,
      })
      context.header('cache-control', 'no-store')
      return acceptsJson(context)
        ? context.json(fileSchema.parse(file), 201)
        : context.text(`${publicOrigin}/s/${file.shortCode}\n`, 201)
    },
    async getUploadUrls({ body, user, publicOrigin, context }) {
      const outcomes: PromiseSettledResult<z.input<typeof uploads.getUploadUrl.response>>[] = []
      // In order, so that the last files are refused if there isn't room for all of them.
      for (const file of body.files) {
        outcomes.push(...(await Promise.allSettled([start(file, user.id, publicOrigin)])))
      }
      return toBatchResults(context, outcomes)
    },
    signParts: async ({ body, uploader, publicOrigin }) =>
      signParts(depsWithOrigin(publicOrigin), await uploader.ownerOf(body.cloudKey), body),
    listParts: async ({ query, uploader }) =>
      listParts(deps, await uploader.ownerOf(query.cloudKey), query.cloudKey),
    async confirmUpload({ body, uploader }) {
      const ownerId = await uploader.ownerOf(body.cloudKey)
      if (!uploader.isSender) return confirmUpload(deps, ownerId, body)
      // A sender gets neither the link nor errors about the owner's account.
      try {
        const { originalName, mimeType, size } = await confirmUpload(deps, ownerId, body)
        return { originalName, mimeType, size }
      } catch (error) {
        throw toSenderError(error)
      }
    },
    confirmUploads: async ({ body, user, context }) =>
      toBatchResults(context, await confirmUploads(deps, user.id, body.uploads)),
    createFileRecord: ({ body, user }) => confirmUpload(deps, user.id, body),
    async abortUpload({ body, uploader, log }) {
      await abortUpload(deps, await uploader.ownerOf(body.cloudKey), body.cloudKey, log)
      return { message: 'Upload cancelled' }
    },
  } satisfies Partial<Handlers>
}
