import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { isPreviewBot } from '../../shared/rules/links/preview-bot.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import { expectedStart } from '../storage/byte-range.ts'
import { rejectExecution } from '../storage/download-headers.ts'
import type { CountDownload, OpenLink } from './queries.ts'

/**
 * How long a redirect to a bucket may be delayed to fetch the object's validators, which are needed
 * only to count the download.
 */
const validatorsTimeoutMs = 1000

/**
 * Sends the bytes behind a short code, or redirects to a presigned URL that expires no later than
 * the link (design §4).
 * @throws {AppError} LINK_NOT_FOUND unless the link is active; DOWNLOAD_ONLY if a browser would run
 * the bytes.
 */
export async function sendDownload(
  deps: Pick<Deps, 'clock' | 'stores'> & { openLink: OpenLink; countDownload: CountDownload },
  code: string,
  context: Context<HttpEnv>,
): Promise<Response> {
  rejectExecution(context.env.incoming.headers)
  const link = await deps.openLink(code)
  if (!link) throw new AppError('LINK_NOT_FOUND')
  // Set on Node's response, because the disk store bypasses Hono.
  context.env.outgoing.setHeader('x-robots-tag', 'noindex')
  const { method } = context.req
  const delivery = await deps.stores.get(link.storage).deliver(
    {
      key: link.storageKey,
      size: link.size,
      mimeType: link.mimeType,
      fileName: link.originalName,
      version: link.id,
      createdAt: link.createdAt,
      expiresAt: link.expiresAt,
    },
    method === 'HEAD' ? 'HEAD' : 'GET',
  )
  /** A failed count must not fail the download. */
  const logUncounted = (error: unknown): null => {
    context.get('log').error({ err: error, fileId: link.id }, 'Cannot count a download')
    return null
  }
  const countDownload = async (start: number): Promise<void> => {
    if (!countsAsDownload(start, context.req.header('user-agent'))) return
    await deps.countDownload(link.id, deps.clock()).catch(logUncounted)
  }
  if (delivery.kind === 'stream') {
    await delivery.send(context.env.incoming, context.env.outgoing, countDownload)
    return RESPONSE_ALREADY_SENT
  }
  const { incoming } = context.env
  const validators = () => delivery.validators(AbortSignal.timeout(validatorsTimeoutMs))
  const predictedStart = expectedStart(incoming, link.size, validators)
  const start = await predictedStart.catch(logUncounted)
  if (start !== null) await countDownload(start)
  context.header('cache-control', 'no-store')
  return context.redirect(delivery.url)
}

/**
 * True if a response that starts at this offset counts as a download. Only responses with the first
 * byte count, so that a download in several ranges or after an interruption counts once. Preview
 * bots don't count.
 */
export function countsAsDownload(start: number, userAgent: string | undefined): boolean {
  return start === 0 && !isPreviewBot(userAgent)
}
