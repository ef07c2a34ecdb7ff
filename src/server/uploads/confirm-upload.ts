import type { z } from 'zod'
import type { File } from '../../shared/contract/files.ts'
import type { uploads } from '../../shared/contract/uploads.ts'
import { firstLifetime } from '../../shared/rules/links/lifetime.ts'
import { findBlockedSizes } from '../abuse/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import {
  type FileRow,
  findFilesByKey,
  markDeleted,
  newShortCode,
  toFile,
} from '../files/queries.ts'
import type { Owner } from '../http/session.ts'
import { SizeMismatch } from '../storage/storage.ts'
import { Batch, onlyAnswer, partition } from './batch.ts'
import { prepareMakeFiles } from './make-files-query.ts'
import type { UploadStatements } from './prepared-queries.ts'
import { endUploadsOf, type Upload } from './queries.ts'
import { endRemovals, restartUpload } from './removal-queries.ts'
import { removeBytes } from './remove-bytes.ts'
import { maxFilesOf, takeSlots } from './take-slots.ts'

type ConfirmBody = z.output<typeof uploads.confirmUpload.body>

type ConfirmDeps = Pick<Deps, 'askForJob' | 'clock' | 'db' | 'log' | 'settings' | 'stores'> &
  Pick<UploadStatements, 'findUploads' | 'findBlocked' | 'makeFiles'>

/** What a client sent to confirm an upload, with the name that the server has for its key. */
type Confirmation = Omit<ConfirmBody, 'cloudKey'> & { storageKey: string }
type Confirmations = Batch<Confirmation, File>

/** A confirmation, and the open upload that it is for. */
interface Found {
  request: Confirmation
  upload: Upload
}

/** A confirmation of wrong bytes, and the error that refuses it. */
interface Wrong extends Found {
  refusal: AppError
}

/** A confirmation whose upload is sealed. */
interface Sealed extends Found {
  /** The SHA-256 that storage has computed; null where it does not, or needs long for it. */
  proved: string | null
}

/** A confirmation whose bytes are those that were announced. Next, the file's row is written. */
interface Ready extends Found {
  sha256: string | null
  isContentProved: boolean
}

/**
 * Confirms one upload: see `confirmUploads`.
 * @throws {AppError} with what `confirmUploads` would refuse it.
 */
export async function confirmUpload(
  deps: ConfirmDeps,
  owner: Owner,
  body: ConfirmBody,
): Promise<File> {
  return onlyAnswer(await confirmUploads(deps, owner, [body]))
}

/**
 * Turns finished uploads into files with links (design §4), each by itself. First it seals the
 * bytes: storage compares their number with the announced size and makes them durable. Then it
 * writes the rows of the files. A second confirmation, even a parallel one, returns the same file.
 *
 * The server trusts only three values from the client: the key, the start time, and the SHA-256.
 * A start time before the creation of the upload counts as the creation, one in the future as now.
 * The client's SHA-256 is used only if storage does not compute one and no blocked content has this
 * size. Where storage computes one, it is compared with the client's. Without a claim nobody waits
 * for it if it takes long: the file then gets it from `computeDigests`.
 *
 * Returns how each confirmation ended, in their order. It is refused with an {AppError}:
 * UPLOAD_NOT_FOUND, also for another user's key; UPLOAD_INCOMPLETE when bytes are missing;
 * SIZE_MISMATCH when there are too many bytes; CHECKSUM_MISMATCH when their SHA-256 is not the
 * client's. The last two remove the bytes, which can then be sent again. If the upload is already a
 * file, CHECKSUM_MISMATCH leaves the file as it is. CONTENT_BLOCKED when the content was taken down
 * before; the upload ends. TIER_FILE_COUNT when the owner has as many files as the tier allows; the
 * bytes stay and can be confirmed later. If the administrator has lowered this limit since the
 * upload was started, the earlier limit counts. UNAVAILABLE while the bytes of an earlier refusal
 * are still being removed. Other errors of storage refuse a confirmation too.
 * @throws {AppError} UNAUTHORIZED when the owner was deleted in the meantime.
 * @throws when the database cannot be used. The uploads can then be confirmed later.
 */
export async function confirmUploads(
  deps: ConfirmDeps,
  owner: Owner,
  bodies: readonly ConfirmBody[],
): Promise<PromiseSettledResult<File>[]> {
  const confirmations = bodies.map(({ cloudKey, ...body }) => ({ ...body, storageKey: cloudKey }))
  const batch: Confirmations = new Batch(confirmations)
  for (const round of batch.rounds(({ storageKey }) => storageKey)) {
    await confirmRound(deps, owner, round, batch)
  }
  return batch.results()
}

/** Confirms uploads with different keys. */
async function confirmRound(
  deps: ConfirmDeps,
  owner: Owner,
  confirmations: readonly Confirmation[],
  batch: Confirmations,
): Promise<void> {
  const open = await deps.findUploads(owner.id, keysOf(confirmations))
  const found = confirmations.flatMap((request): Found[] => {
    const upload = open.get(request.storageKey)
    // Bytes that are still there will go, so no file may be made of them.
    if (upload?.isBeingEmptied) batch.refuse(request, new AppError('UNAVAILABLE'))
    return upload && !upload.isBeingEmptied ? [{ request, upload }] : []
  })
  const over = confirmations.filter(({ storageKey }) => !open.has(storageKey))
  await findConfirmed(deps, owner.id, over, batch)

  const ready = await prove(deps, await seal(deps, owner.id, found, batch), batch)
  const files = await makeFiles(deps, owner, ready, batch)
  const left = ready.filter(({ request }) => !batch.isRefused(request))
  const allowed = await refuseBlocked(deps, owner.id, left, files, batch)
  const again: Confirmation[] = []
  for (const { request } of allowed) {
    const file = files.get(request.storageKey)
    if (file) batch.answer(request, toFile(file))
    else again.push(request)
  }
  const unknown = allowed.filter(({ sha256 }) => sha256 === null)
  const isOwed = unknown.some(({ upload }) => deps.stores.of(upload.storage).computesSha256)
  if (isOwed) deps.askForJob('compute-digests')
  // If there is no file, a parallel call was faster: it made the file, or removed the bytes. A
  // second confirmation finds out which.
  if (again.length > 0) await confirmRound(deps, owner, again, batch)
}

function keysOf(confirmations: readonly Confirmation[]): string[] {
  return confirmations.map(({ storageKey }) => storageKey)
}

/** Answers confirmations of uploads that are no longer open. */
async function findConfirmed(
  { db, stores }: Pick<Deps, 'db' | 'stores'>,
  ownerId: string,
  confirmations: readonly Confirmation[],
  batch: Confirmations,
): Promise<void> {
  if (confirmations.length === 0) return
  const files = await findFilesByKey(db, ownerId, keysOf(confirmations))
  const works = confirmations.map((request) => ({ request }))
  await batch.each(works, async ({ request }) => {
    const row = files.get(request.storageKey)
    if (!row) throw new AppError('UPLOAD_NOT_FOUND')
    if (row.takenDownAt !== null) throw new AppError('CONTENT_BLOCKED')
    if (request.sha256 !== undefined) {
      const store = stores.of(row.storage)
      const computed = row.sha256 === null && store.computesSha256
      const sha256 = computed ? await store.sha256(row.storageKey) : row.sha256
      if (sha256 !== null && sha256 !== request.sha256) throw new AppError('CHECKSUM_MISMATCH')
    }
    batch.answer(request, toFile(row))
  })
}

/**
 * Seals the stored bytes of uploads. Refuses uploads with more or fewer bytes than announced. Where
 * bytes are missing, the upload can be continued. If there are too many, they are removed, and the
 * client must send all of them again.
 */
async function seal(
  deps: ConfirmDeps,
  ownerId: string,
  found: readonly Found[],
  batch: Confirmations,
): Promise<Sealed[]> {
  const incomplete = new Map<Confirmation, SizeMismatch>()
  const tooLong: Wrong[] = []
  const sealed = await batch.each(found, async ({ request, upload }): Promise<Sealed[]> => {
    try {
      const storage = deps.stores.of(upload.storage)
      return [{ request, upload, proved: await storage.seal(upload.storageKey, upload.size) }]
    } catch (error) {
      if (!(error instanceof SizeMismatch)) throw error
      if (error.actual !== null && error.actual > upload.size) {
        const refusal = new AppError('SIZE_MISMATCH', { cause: error })
        tooLong.push({ request, upload, refusal })
      } else incomplete.set(request, error)
      return []
    }
  })
  await discardBytes(deps, tooLong, batch)
  // An upload may have no bytes because a parallel call has just ended it.
  const open = await deps.findUploads(ownerId, keysOf([...incomplete.keys()]))
  for (const [request, cause] of incomplete) {
    const code = open.has(request.storageKey) ? 'UPLOAD_INCOMPLETE' : 'UPLOAD_NOT_FOUND'
    batch.refuse(request, new AppError(code, { cause }))
  }
  return sealed.flat()
}

/**
 * Compares the SHA-256 of sealed bytes with the client's. Bytes whose SHA-256 storage has not
 * computed are read if blocked content has their size, or if storage can compute it and the client
 * claims one. The bytes of others are not read, because that takes long.
 */
async function prove(
  deps: ConfirmDeps,
  sealed: readonly Sealed[],
  batch: Confirmations,
): Promise<Ready[]> {
  const unproved = sealed.filter(({ proved }) => proved === null)
  const sizes = await findBlockedSizes(
    deps.db,
    unproved.map(({ upload }) => upload.size),
  )
  const wrong: Wrong[] = []
  const ready = await batch.each(sealed, async (one): Promise<Ready[]> => {
    const { request, upload, proved: sealedAs } = one
    const { storage, storageKey, size } = upload
    const claimed = request.sha256
    const store = deps.stores.of(storage)
    const isCompared = claimed !== undefined && store.computesSha256
    const isToRead = sealedAs === null && (isCompared || sizes.has(size))
    const proved = isToRead ? await store.sha256(storageKey) : sealedAs
    if (proved !== null && claimed !== undefined && proved !== claimed) {
      wrong.push({ request, upload, refusal: new AppError('CHECKSUM_MISMATCH') })
      return []
    }
    const sha256 = proved ?? claimed ?? null
    return [{ request, upload, sha256, isContentProved: proved !== null }]
  })
  await discardBytes(deps, wrong, batch)
  return ready.flat()
}

/**
 * Makes files of uploads, and returns them by storage key. Refuses those for which the owner has no
 * slot. An upload that ended in the meantime becomes no file. Where slots are counted, uploads with
 * blocked content are refused before, so that they take no slot from others.
 */
async function makeFiles(
  deps: ConfirmDeps,
  owner: Owner,
  ready: readonly Ready[],
  batch: Confirmations,
): Promise<ReadonlyMap<string, FileRow>> {
  const { clock, db, settings } = deps
  if (ready.length === 0) return new Map()
  const finish = (make: UploadStatements['makeFiles'], uploads: readonly Ready[]) => {
    const now = clock()
    const given = uploads.map(({ request, upload, sha256, isContentProved }) => ({
      uploadId: upload.id,
      shortCode: newShortCode(),
      createdAt: now,
      ...firstLifetime(now, upload),
      uploadDuration: secondsSince(request.uploadStartTime, upload.createdAt, now),
      sha256,
      isContentProved,
    }))
    return make(owner.id, given)
  }
  // Without a limit of files there is nothing to count. So the owner's uploads need not wait for
  // one another.
  const limits = await settings.limits()
  const [uncounted, counted] = partition(
    ready,
    ({ upload }) => maxFilesOf(upload, owner.tier, limits) === null,
  )
  const made = await finish(deps.makeFiles, uncounted)
  if (counted.length === 0) return made
  const allowed = await refuseBlocked(deps, owner.id, counted, made, batch)
  const inSlots = await db.transaction(async (tx) => {
    const uploads = allowed.map(({ upload }) => upload)
    const slots = await takeSlots(tx, owner.id, uploads, limits, clock())
    for (const { request, upload } of allowed) {
      if (slots.refused.has(upload)) batch.refuse(request, slots.refusal)
    }
    const withSlot = allowed.filter(({ upload }) => slots.taken.has(upload))
    return finish(prepareMakeFiles(tx), withSlot)
  })
  return new Map([...made, ...inSlots])
}

/**
 * Refuses the uploads whose content is blocked, and ends them or the files that they became. A
 * takedown may block the content while an upload becomes a file. The statement that makes the file
 * sees only content that was blocked before it began, and the takedown may miss a file that is only
 * just made. So this looks again. Returns the others.
 */
async function refuseBlocked(
  deps: ConfirmDeps,
  ownerId: string,
  ready: readonly Ready[],
  files: ReadonlyMap<string, FileRow>,
  batch: Confirmations,
): Promise<Ready[]> {
  const { clock, db } = deps
  const blocked = await deps.findBlocked(ready.flatMap(({ sha256 }) => sha256 ?? []))
  const [refused, allowed] = partition(ready, ({ sha256 }) => blocked.has(sha256 ?? ''))
  if (refused.length === 0) return allowed
  const [made, unmade] = partition(refused, ({ upload }) => files.has(upload.storageKey))
  const ids = made.flatMap(({ upload }) => files.get(upload.storageKey)?.id ?? [])
  if (ids.length > 0) await markDeleted(db, ownerId, ids, clock())
  const keys = unmade.map(({ upload }) => upload.storageKey)
  await removeBytes(deps, await endUploadsOf(db, ownerId, keys, clock()))
  for (const { request } of refused) batch.refuse(request, new AppError('CONTENT_BLOCKED'))
  return allowed
}

/**
 * Refuses confirmations of wrong bytes, and removes the bytes, so that they can be sent again. Does
 * not remove those of an upload that a parallel call has just made a file: `restartUpload` then
 * finds no row. No transaction is open while storage removes the bytes, because Postgres would end
 * one that waits for long, and undo the new id.
 */
async function discardBytes(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  wrong: readonly Wrong[],
  batch: Confirmations,
): Promise<void> {
  await batch.each(wrong, async ({ upload, refusal }) => {
    const { id, storage, storageKey } = upload
    if (await restartUpload(db, id, clock())) {
      await stores.of(storage).remove(storageKey)
      await endRemovals(db, new Set([storageKey]), clock())
    }
    throw refusal
  })
}

/**
 * Returns how many seconds the upload took since the start time that the browser sent. A start time
 * before the upload's creation counts as the creation, one in the future as now.
 */
function secondsSince(start: Confirmation['uploadStartTime'], createdAt: Date, now: Date): number {
  const claimed = start === undefined ? Number.NaN : new Date(start).getTime()
  const from = Number.isNaN(claimed)
    ? createdAt.getTime()
    : Math.min(Math.max(claimed, createdAt.getTime()), now.getTime())
  return Math.max(0, now.getTime() - from) / 1000
}
