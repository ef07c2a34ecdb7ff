import mime from 'mime'
import { mimeType } from '../../shared/contract/fields.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { checkUpload } from '../../shared/rules/tiers/tier-limits.ts'
import type { Deps } from '../deps.ts'
import { AppError, codeOf, limitError } from '../errors.ts'
import { readPreferredDays } from '../files/preference-queries.ts'
import type { FileRow } from '../files/queries.ts'
import type { Owner } from '../http/session.ts'
import type { ReceivedBody } from '../storage/storage.ts'
import { confirmUpload } from './confirm-upload.ts'
import { removeBytes } from './end-uploads.ts'
import { setUploadSize, touchUpload, type Upload } from './queries.ts'
import { endUploads } from './removal-queries.ts'
import { type LinkTarget, openUploads } from './start-upload.ts'

type PutDeps = Pick<
  Deps,
  'clock' | 'db' | 'log' | 'mailQueue' | 'requestJob' | 'settings' | 'stores' | 'transfers'
>

interface PutRequest {
  /** The path below `/api/up/`, decoded. */
  path: string
  /** By default, the days that the owner prefers. */
  expirationDays: number | undefined
  options: Extract<LinkTarget, { kind: 'new' }>['options']
}

/** wget and PowerShell send it with any file. */
const formType = 'application/x-www-form-urlencoded'

/**
 * Turns the body of a request into a file with a link of its own. The body goes straight to
 * storage. If its length is unknown, the upload takes the place of the largest file that the tier
 * allows until it has arrived. After an error, nothing is left.
 * @throws {AppError} INVALID_INPUT for a part of a file; TOO_MANY_TRANSFERS; as `startUploads`,
 * `Storage.receive` and `confirmUploads`.
 */
export async function putFile(
  deps: PutDeps,
  owner: Owner,
  { path, expirationDays, options }: PutRequest,
  exchange: Omit<ReceivedBody, 'onReceived'>,
): Promise<FileRow> {
  const { clock, db, settings, stores, transfers } = deps
  const { request, response } = exchange
  const { headers } = request
  // Otherwise the rest of a file would be stored as the whole one (RFC 9110 §14.5).
  if (headers['content-range'] !== undefined) {
    throw new AppError('INVALID_INPUT', { message: 'Content-Range: Send the whole file.' })
  }
  const limits = await settings.limits()
  const isLengthKnown = headers['transfer-encoding'] === undefined
  const maxSize = isLengthKnown
    ? Number(headers['content-length'] ?? 0)
    : limits[owner.tier].maxFileSize
  const startedAt = clock()
  const fileName = nameOf(path, startedAt)
  const upload = {
    fileName,
    fileSize: maxSize,
    fileType: typeOf(headers['content-type'], fileName),
    expirationDays: expirationDays ?? (await readPreferredDays(deps, owner)),
  }
  const target = { kind: 'new', options } as const
  const { uploads } = await openUploads(deps, owner.id, [upload], target, startedAt).catch(
    renameDaysField,
  )
  const [opened] = uploads as [Upload]
  const { storage, storageKey: key } = opened
  // A shutdown waits until what was stored has been removed.
  return transfers.track(response, async () => {
    try {
      let size = 0
      await transfers.run('upload', response, async () => {
        const onReceived = countReceived(deps, key)
        size = await stores.get(storage).receive({ key, maxSize }, { ...exchange, onReceived })
      })
      if (isLengthKnown && size < maxSize) throw new AppError('UPLOAD_INCOMPLETE')
      if (size !== maxSize) await setUploadSize(db, opened, size)
      return await confirmUpload(deps, owner.id, { cloudKey: key })
    } catch (error) {
      await removeUpload(deps, owner.id, key)
      if (isLengthKnown || codeOf(error) !== 'FILE_TOO_LARGE') throw error
      const planned = { tier: owner.tier, fileSize: maxSize + 1, filesInUse: 0 }
      const code = checkUpload({ ...planned, expirationDays: undefined }, limits)
      throw limitError(code ?? 'FILE_TOO_LARGE', owner.tier, limits)
    }
  })
}

/**
 * Returns the function that counts received bytes. Once a minute, it records activity on the
 * upload.
 * @throws {AppError} UPLOAD_NOT_FOUND if the upload has ended, for instance with its link.
 */
function countReceived({ clock, db, log, transfers }: PutDeps, key: string) {
  let touchedAt = clock().getTime()
  return async (bytes: number): Promise<void> => {
    transfers.addReceivedBytes(bytes)
    const now = clock()
    if (now.getTime() - touchedAt < minuteInMs) return
    touchedAt = now.getTime()
    // A brief database outage must not end a transfer.
    const isOpen = await touchUpload(db, key, now).catch((error: unknown) => {
      log.warn({ err: error, key }, 'could not record the activity of an upload')
      return true
    })
    if (!isOpen) throw new AppError('UPLOAD_NOT_FOUND')
  }
}

/** Names the query parameter, and not the field of other calls. */
function renameDaysField(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'INVALID_INPUT') throw error
  throw new AppError(error.code, { message: error.message.replace('expirationDays', 'days') })
}

/** Removes an upload after an error. If that fails too, it is removed like an abandoned one. */
async function removeUpload(deps: PutDeps, ownerId: string, key: string): Promise<void> {
  const { clock, db, log } = deps
  try {
    await removeBytes(deps, await endUploads(db, ownerId, [key], clock()))
  } catch (error) {
    log.warn({ err: error, key }, 'Cannot end an upload that failed')
  }
}

/** Returns the name of a file. Standard input has none: curl sends an empty one or `-`. */
function nameOf(path: string, now: Date): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name !== '' && name !== '-') return name
  const [date, time = ''] = now.toISOString().slice(0, 19).split('T')
  return `upload ${date} ${time.replaceAll(':', '.')}`
}

/** Returns the media type that the client names, or else that of the file's extension. */
function typeOf(header: string | undefined, fileName: string): string {
  const named = mimeType.safeParse(header ?? '').data
  const isNamed = header !== undefined && named !== undefined && named !== formType
  return isNamed ? named : (mime.getType(fileName) ?? 'application/octet-stream')
}
