import type { Context } from 'hono'
import { canFinishUploads } from '../../shared/rules/links/request-state.ts'
import { isSameText, keyedHash } from '../auth/secrets.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import type { Uploader } from '../http/session.ts'
import { findDelivery, isInDelivery } from './queries.ts'

/** Creates the token with which a sender continues the uploads of one link, a delivery. */
export function createUploadToken(secret: string, linkId: string): string {
  return `${linkId}.${keyedHash(secret, 'upload', linkId)}`
}

/**
 * Returns the link whose token an `Authorization` header carries, or null if it has no token.
 * @throws {AppError} UNAUTHORIZED if the token isn't ours.
 */
export function readUploadToken(secret: string, authorization: string | undefined): string | null {
  const token = /^upload +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) return null
  const linkId = token.split('.', 1)[0] ?? ''
  if (!isSameText(token, createUploadToken(secret, linkId))) throw new AppError('UNAUTHORIZED')
  return linkId
}

/**
 * Returns a function that returns the sender whose token a request carries, or null if it has no
 * token. A token works for its delivery alone, until an hour after the request has closed.
 * @throws {AppError} UNAUTHORIZED for a forged token; REQUEST_NOT_FOUND for a token that no longer
 * works.
 */
export function createSenderReader({
  clock,
  db,
  secret,
}: Pick<Deps, 'clock' | 'db' | 'secret'>): (context: Context<HttpEnv>) => Promise<Uploader | null> {
  return async (context) => {
    const linkId = readUploadToken(secret, context.req.header('authorization'))
    if (linkId === null) return null
    const delivery = await findDelivery(db, linkId)
    if (!delivery || !canFinishUploads(delivery, clock())) throw new AppError('REQUEST_NOT_FOUND')
    return {
      isSender: true,
      async ownerOf(storageKey) {
        if (!(await isInDelivery(db, linkId, storageKey))) throw new AppError('UPLOAD_NOT_FOUND')
        return delivery.ownerId
      },
    }
  }
}
