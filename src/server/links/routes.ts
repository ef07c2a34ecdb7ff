import { z } from 'zod'
import { parseOrder } from '../../shared/rules/files/file-order.ts'
import { maxFilesPerPage } from '../../shared/rules/links/link-limits.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { removeDeletedBytes } from '../files/delete-files.ts'
import { readPreferredDays } from '../files/preference-queries.ts'
import { parseCursor, takePage } from '../http/cursor.ts'
import type { Handlers } from '../http/mount.ts'
import { counter } from '../http/rate-limit.ts'
import { removeBytes } from '../uploads/end-uploads.ts'
import { requireOwner, startUploads } from '../uploads/start-upload.ts'
import { deleteLink } from './delete-link.ts'
import { hasCode, updateLink } from './queries.ts'
import {
  addEntries,
  countLinksOnPage,
  findOwnLink,
  linkSortFields,
  listLinks,
} from './read-links.ts'
import { renewLink } from './renew-link.ts'
import { hashLinkPassword } from './unlock.ts'

/** Routes for the signed-in user's own links (design §5). */
export function linkRoutes(
  deps: Pick<
    Deps,
    'requestJob' | 'clock' | 'db' | 'log' | 'passwords' | 'rateLimits' | 'settings' | 'stores'
  >,
) {
  const readLink = async (ownerId: string, code: string) => {
    const link = await findOwnLink(deps, ownerId, code)
    if (!link) throw new AppError('LINK_NOT_FOUND')
    return link
  }

  /** Returns the columns to write. Undefined ones stay as they are. */
  const toColumns = async (
    { password, ...fields }: { password?: string | null | undefined } & LinkFields,
    clientAddress: string,
  ) => ({
    ...fields,
    passwordHash: await hashLinkPassword(deps, password, clientAddress),
  })

  return {
    async createLink({ body, user, clientAddress, publicOrigin }) {
      requireOwner(body, user.id)
      const { files, expirationDays: days, idempotencyKey, ownerId: _, ...fields } = body
      const expirationDays = days ?? (await readPreferredDays(deps, user))
      const options = await toColumns(fields, clientAddress)
      const requests = toRequests(files, idempotencyKey).map((file) => ({
        ...file,
        expirationDays,
      }))
      const startDeps = { ...deps, stores: deps.stores.withOrigin(publicOrigin) }
      const { uploads } = await startUploads(startDeps, user.id, requests, { kind: 'new', options })
      return { link: await readLink(user.id, uploads[0]?.shortCode ?? ''), uploads }
    },

    async addFiles({ params, body, user, publicOrigin }) {
      requireOwner(body, user.id)
      const startDeps = { ...deps, stores: deps.stores.withOrigin(publicOrigin) }
      const target = { kind: 'existing', shortCode: params.code } as const
      const requests = toRequests(body.files, body.idempotencyKey)
      const { uploads } = await startUploads(startDeps, user.id, requests, target)
      return { link: await readLink(user.id, params.code), uploads }
    },

    async listLinks({ query, user, context }) {
      const { limit, cursor, sort, search, expiring, requestId } = query
      const order = parseOrder(sort)
      const cursorShape = z.tuple([z.literal(sort), linkSortFields[order.by].shape, z.uuid()])
      const after = parseCursor(cursorShape, cursor)
      const rows = await listLinks(deps.db, user.id, {
        limit: limit + 1,
        order,
        after: after && { value: after[1], id: after[2] },
        search,
        requestId,
        endingAfter: expiring === 'soon' ? deps.clock() : undefined,
      })
      const page = takePage(context, rows, {
        limit: Math.min(limit, countLinksOnPage(rows, maxFilesPerPage)),
        cursorOf: ({ link, sortValue }) => [sort, sortValue, link.id],
      })
      return addEntries(
        deps,
        page.map(({ link }) => link),
      )
    },

    async changeLink({ params, body, user, clientAddress }) {
      const changes = await toColumns(body, clientAddress)
      await updateLink(deps.db, user.id, params.code, changes)
      return readLink(user.id, params.code)
    },

    async deleteLink({ params, user, log }) {
      const deleted = await deleteLink(deps.db, user.id, params.code, deps.clock())
      if (!deleted) throw new AppError('LINK_NOT_FOUND')
      await removeDeletedBytes({ ...deps, log }, deleted.files)
      await removeBytes({ ...deps, log }, deleted.uploads)
      return { message: 'Link deleted' }
    },

    async renewLink({ params, body, user, caller }) {
      // Rate-limited because every short code is kept forever.
      await deps.rateLimits.spend([counter('renewalsByCaller', caller)])
      const days = body.expirationDays ?? (await readPreferredDays(deps, user))
      const link = await renewLink(deps, user.id, hasCode(params.code), days)
      if (!link) throw new AppError('LINK_NOT_FOUND')
      const [view] = await addEntries(deps, [link])
      if (!view) throw new Error('Expected the renewed link.')
      return view
    },
  } satisfies Partial<Handlers>
}

interface LinkFields {
  shared?: true | undefined
  title?: string | null | undefined
  message?: string | null | undefined
  maxDownloads?: number | null | undefined
}

/** Gives each file of a list its own idempotency key, if the list has one. */
function toRequests<File>(files: readonly File[], idempotencyKey: string | undefined) {
  return files.map((file, index) => ({
    ...file,
    idempotencyKey: idempotencyKey && `${idempotencyKey}:${index}`,
  }))
}
