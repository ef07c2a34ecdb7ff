import { z } from 'zod'
import { requestState } from '../../shared/rules/links/request-state.ts'
import { toBrand } from '../branding/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { parseCursor, takePage, timestamp } from '../http/cursor.ts'
import type { Handlers } from '../http/mount.ts'
import { counter } from '../http/rate-limit.ts'
import type { ReadSession } from '../http/session.ts'
import { hashLinkPassword, isUnlocked, unlock } from '../links/unlock.ts'
import { closeRequest } from './close-request.ts'
import { createDelivery } from './create-delivery.ts'
import { changeRequest, createRequest } from './create-request.ts'
import { describeRequest, findOpenRequest, requireOpenRequest, toLock } from './open-request.ts'
import { findRequest, type ListedRequest, listRequests } from './queries.ts'
import type { RequestPages } from './request-pages.ts'
import { readUploadToken } from './upload-token.ts'

const cursorShape = z.tuple([timestamp, z.uuid()])

/** Routes for requests and for what they receive (design §5). */
export function requestRoutes(
  deps: Pick<
    Deps,
    'clock' | 'config' | 'db' | 'passwords' | 'rateLimits' | 'secret' | 'settings' | 'stores'
  >,
  pages: RequestPages,
  readSession: ReadSession,
) {
  const toView = ({ request, owner, receivedCount }: ListedRequest, origin: string) => ({
    ...request,
    owner,
    receivedCount,
    url: `${origin}/r/${request.code}`,
    hasPassword: request.passwordHash !== null,
    state: requestState(request, deps.clock()),
  })

  const readRequest = async (id: string, origin: string) => {
    const row = await findRequest(deps.db, id)
    if (!row) throw new AppError('REQUEST_NOT_FOUND')
    return toView(row, origin)
  }

  type ListCall = Parameters<Handlers['listRequests']>[0]

  const listPage = async (
    ownerId: string | null,
    { query, publicOrigin, context }: Pick<ListCall, 'query' | 'publicOrigin' | 'context'>,
  ) => {
    const { limit, cursor } = query
    const after = parseCursor(cursorShape, cursor)
    const rows = await listRequests(deps.db, ownerId, { limit: limit + 1, after })
    const cursorOf = ({ request }: ListedRequest) => [request.createdAt, request.id]
    return takePage(context, rows, { limit, cursorOf }).map((row) => toView(row, publicOrigin))
  }

  return {
    async createRequest({ body, user, caller, clientAddress, publicOrigin }) {
      const { password, ...options } = body
      // Rate-limited because every code is kept forever.
      await deps.rateLimits.spend([counter('requestsByCaller', caller)])
      const passwordHash = await hashLinkPassword(deps, password, clientAddress)
      const id = await createRequest(deps, user.id, { ...options, passwordHash })
      return readRequest(id, publicOrigin)
    },

    listRequests: (call) => listPage(call.user.id, call),

    async changeRequest({ params, body, user, clientAddress, publicOrigin }) {
      const { password, ...changes } = body
      const passwordHash = await hashLinkPassword(deps, password, clientAddress)
      await changeRequest(deps, user.id, params.id, { ...changes, passwordHash })
      return readRequest(params.id, publicOrigin)
    },

    async closeRequest({ params, user }) {
      await closeRequest(deps, params.id, { ownerId: user.id })
      return { message: 'Request closed' }
    },

    async requestDetails({ params, publicOrigin, context }) {
      const openRequest = await requireOpenRequest(deps, params.id)
      const { request, brand } = openRequest
      const branding = brand && toBrand(brand, publicOrigin)
      const isOwner = (await readSession(context))?.user.id === request.ownerId
      return isOwner || isUnlocked(deps, toLock(request), context)
        ? { ...(await describeRequest(deps, openRequest)), branding }
        : { needsPassword: true as const, closesAt: request.closesAt, branding }
    },

    async openRequestPage({ params, publicOrigin: origin, context }) {
      const openRequest = await findOpenRequest(deps, params.code)
      if (!openRequest) return pages.notFound()
      const { request, brand } = openRequest
      const pageContext = { brand, origin, now: deps.clock() }
      if (!isUnlocked(deps, toLock(request), context)) return pages.locked(request, pageContext)
      const details = await describeRequest(deps, openRequest)
      return pages.open({ ...details, code: request.code }, pageContext)
    },

    async unlockRequest({ params, body, context }) {
      const { request } = await requireOpenRequest(deps, params.code)
      await unlock(deps, toLock(request), body.password, context)
      return context.body(null, 204)
    },

    async createDelivery({ params, body, clientAddress, publicOrigin, context }) {
      const linkId = readUploadToken(deps.secret, context.req.header('authorization'))
      // Codes that don't exist count too. Otherwise, they could be guessed by sending to them.
      const address = addressBlock(clientAddress)
      await deps.rateLimits.spend([counter('deliveriesByAddress', address)])
      const openRequest = await requireOpenRequest(deps, params.code)
      const { request } = openRequest
      if (!isUnlocked(deps, toLock(request), context)) throw new AppError('LINK_LOCKED')
      await deps.rateLimits.spend([counter('deliveriesByRequest', request.id)])
      const stores = deps.stores.withOrigin(publicOrigin)
      return createDelivery({ ...deps, stores }, openRequest, body, linkId)
    },

    adminRequests: (call) => listPage(null, call),

    async closeAnyRequest({ params, user, clientAddress }) {
      const administrator = { id: user.id, ipAddress: clientAddress }
      await closeRequest(deps, params.id, { administrator })
      return { message: 'Request closed' }
    },
  } satisfies Partial<Handlers>
}
