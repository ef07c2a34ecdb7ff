import { createHash } from 'node:crypto'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { cleanFileName } from '../../shared/rules/files/file-name.ts'
import { zipNames } from '../../shared/rules/files/zip-names.ts'
import { isUsedUp } from '../../shared/rules/links/link-status.ts'
import { isPreviewBot } from '../../shared/rules/links/preview-bot.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { HttpEnv } from '../http/env.ts'
import type { ReadSession } from '../http/session.ts'
import type { LimitedDownloads } from '../links/limited-downloads.ts'
import { requireUnlocked, type UnlockDeps } from '../links/unlock.ts'
import { expectedStart } from '../storage/byte-range.ts'
import { rejectExecution } from '../storage/download-headers.ts'
import { sendZip, type ZipArchive } from '../storage/send-zip.ts'
import type { OnBytes } from '../storage/storage.ts'
import {
  type CountDownload,
  type DownloadableFile,
  type Downloaded,
  hasUpload,
  type Link,
} from './queries.ts'

/**
 * How long a redirect to a bucket may be delayed to fetch the object's validators, which are needed
 * only to count the download.
 */
const validatorsTimeoutMs = 1000

type DownloadDeps = Pick<Deps, 'clock' | 'db' | 'stores' | 'transfers'> &
  UnlockDeps & {
    openLink: (code: string, context: Context<HttpEnv>) => Promise<Link | null>
    countDownload: CountDownload
    limitedDownloads: LimitedDownloads
    readSession: ReadSession
  }

/**
 * Sends a link's file, or several as a ZIP archive. In a bucket, a single file is sent by a
 * redirect to a presigned URL that expires no later than the link (design §4).
 * @param fileId one of several files; all of them if undefined.
 * @throws {AppError} LINK_NOT_FOUND unless the link is active and has downloads left;
 * FILE_NOT_FOUND if the link has no such file; STILL_UPLOADING if a file is still on its way;
 * DOWNLOAD_ONLY if a browser would run the bytes; as `requireUnlocked`.
 */
export async function sendDownload(
  deps: DownloadDeps,
  { code, fileId }: { code: string; fileId?: string },
  context: Context<HttpEnv>,
): Promise<Response> {
  rejectExecution(context.env.incoming.headers)
  const link = await deps.openLink(code, context)
  if (!link) throw new AppError('LINK_NOT_FOUND')
  await requireUnlocked(deps, link, context)
  // Set on Node's response, because transfers bypass Hono.
  context.env.outgoing.setHeader('x-robots-tag', 'noindex')
  const file = await chooseFile(deps, link, fileId)
  const downloaded = { linkId: link.id, fileId: file?.id ?? null }
  if (isUsedUp(link) && !(await deps.limitedDownloads.hasBegun(downloaded, context))) {
    throw new AppError('LINK_NOT_FOUND')
  }
  const onBytes: OnBytes = async (start) => {
    // Until a received link is shared, its owner alone downloads it.
    if (link.shared) await count(deps, link, downloaded, context, start)
  }
  return file
    ? sendFile(deps, link, file, context, onBytes)
    : sendArchive(deps, link, context, onBytes)
}

/** Returns the file to send, or null for an archive of all files. */
async function chooseFile(
  { db }: Pick<Deps, 'db'>,
  link: Link,
  fileId: string | undefined,
): Promise<DownloadableFile | null> {
  if (fileId !== undefined) {
    const file = link.files.find(({ id }) => id === fileId.toLowerCase())
    if (file) return file
    const isOnItsWay = link.isUploading && (await hasUpload(db, link.id, fileId))
    throw isOnItsWay ? stillUploading() : new AppError('FILE_NOT_FOUND')
  }
  if (link.isUploading) throw stillUploading()
  return link.files.length === 1 ? (link.files[0] ?? null) : null
}

/** Not logged, because programs repeat the request until the files are there. */
function stillUploading(): AppError {
  return new AppError('STILL_UPLOADING', { isLogged: false })
}

async function sendFile(
  deps: DownloadDeps,
  link: Link,
  file: DownloadableFile,
  context: Context<HttpEnv>,
  onBytes: OnBytes,
): Promise<Response> {
  const { incoming, outgoing } = context.env
  const isHead = context.req.method === 'HEAD'
  const { id: version, size, createdAt } = file
  const delivery = await deps.stores.get(file.storage).deliver(
    {
      key: file.storageKey,
      size,
      mimeType: file.mimeType,
      fileName: file.originalName,
      version,
      createdAt,
      expiresAt: link.expiresAt,
    },
    isHead ? 'HEAD' : 'GET',
  )
  if (delivery.kind === 'stream') {
    await delivery.send(incoming, outgoing, onBytes)
    return RESPONSE_ALREADY_SENT
  }
  const validators = () => delivery.validators(AbortSignal.timeout(validatorsTimeoutMs))
  const start = await expectedStart(incoming, size, validators).catch((error) =>
    logUncounted(context, file.id, error),
  )
  // Whoever has the presigned URL can download the whole file with it.
  const isLimited = link.maxDownloads !== null && !isHead
  if (start !== null || isLimited) await onBytes(start ?? 0)
  context.header('cache-control', 'no-store')
  return context.redirect(delivery.url)
}

async function sendArchive(
  deps: DownloadDeps,
  link: Link,
  context: Context<HttpEnv>,
  onBytes: OnBytes,
): Promise<Response> {
  const { incoming: request, outgoing: response } = context.env
  await sendZip(deps.transfers, createArchive(deps, link), { request, response, onBytes })
  return RESPONSE_ALREADY_SENT
}

/** @throws {AppError} STILL_UPLOADING until every CRC-32 is known. */
function createArchive({ stores }: Pick<Deps, 'stores'>, link: Link): ZipArchive {
  const names = zipNames(link.files.map(({ originalName }) => originalName))
  const files = link.files.map(({ size, crc32, createdAt, storage, storageKey }, index) => {
    if (crc32 === null) throw stillUploading()
    const name = names[index] ?? ''
    return {
      name,
      size,
      crc32,
      modifiedAt: createdAt,
      storage: stores.get(storage),
      key: storageKey,
    }
  })
  const identity = files.map(({ key, name, crc32 }) => [key, name, crc32])
  return {
    files,
    fileName: cleanFileName(
      `${link.title ?? link.files[0]?.originalName.replace(/\.[^.]*$/, '')}.zip`,
    ),
    version: createHash('sha256').update(JSON.stringify(identity)).digest('base64url'),
  }
}

/**
 * Counts a download. If the link isn't limited, a failed count must not fail the download.
 * @throws {AppError} LINK_NOT_FOUND if the link has no downloads left.
 */
async function count(
  { clock, countDownload, limitedDownloads }: DownloadDeps,
  link: Link,
  downloaded: Downloaded,
  context: Context<HttpEnv>,
  start: number,
): Promise<void> {
  if (link.maxDownloads !== null) return limitedDownloads.admit(downloaded, context, start)
  if (!countsAsDownload(start, context.req.header('user-agent'))) return
  await countDownload(downloaded, clock()).catch((error) => {
    logUncounted(context, downloaded.fileId, error)
  })
}

function logUncounted(context: Context<HttpEnv>, fileId: string | null, error: unknown): null {
  context.get('log').error({ err: error, fileId }, 'Cannot count a download')
  return null
}

/**
 * True if a response that starts at this offset counts as a download. Only responses with the first
 * byte count, so that a download in several ranges or after an interruption counts once. Preview
 * bots don't count.
 */
export function countsAsDownload(start: number, userAgent: string | undefined): boolean {
  return start === 0 && !isPreviewBot(userAgent)
}
