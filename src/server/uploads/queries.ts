import { and, type Column, desc, eq, gt, inArray, isNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import { slotHeldMs } from '../../shared/rules/files/kept-times.ts'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import type { TierFacts } from '../../shared/rules/tiers/trial.ts'
import { files, uploads, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { lockOrder, lockUploads } from './lock-order.ts'
import { type EndedUpload, endUploads } from './removal-queries.ts'
import { leastUnfinishedBytes } from './upload-ceilings.ts'

export type Upload = typeof uploads.$inferSelect

/** This SQL sums the bytes of uploads. `chargeOf` says how many bytes each upload counts. */
export const unfinishedBytes =
  sql<number>`coalesce(sum(greatest(${uploads.size}, ${sql.raw(String(leastUnfinishedBytes))})), 0)`.mapWith(
    Number,
  )

/**
 * Locks a user until the transaction ends, so that only one request at a time counts the user's
 * files. Returns the fields that decide the tier.
 */
export async function lockOwner(tx: Db, userId: string): Promise<TierFacts | undefined> {
  const [owner] = await tx
    .select({
      tier: users.tier,
      premiumTrialStartedAt: users.premiumTrialStartedAt,
      premiumTrialEndsAt: users.premiumTrialEndsAt,
    })
    .from(users)
    .where(eq(users.id, userId))
    // A lock `for update` would wait for every transaction that is writing a row with this owner's
    // id. That transaction may itself wait for this lock, and neither would go on.
    .for('no key update')
  return owner
}

/**
 * Locks the owner's open uploads with these idempotency keys until the transaction ends. So nothing
 * else can end the uploads before. Returns the keys that an open upload has.
 */
export async function lockRepeated(
  tx: Db,
  ownerId: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const open = await tx
    .select({ key: uploads.idempotencyKey })
    .from(uploads)
    .where(and(eq(uploads.ownerId, ownerId), isAnyOf(uploads.idempotencyKey, keys)))
    .orderBy(...lockOrder)
    .for('update')
  return new Set(open.flatMap(({ key }) => key ?? []))
}

/** A user's files and uploads that count against the limit of files. */
export interface SlotsInUse {
  /** How many files of the user have an open link. */
  files: number
  /** The open uploads that were active in the last 15 minutes. */
  uploads: Pick<Upload, 'id' | 'createdAt'>[]
}

/** Finds what counts against a user's limit of files at `now`. */
export async function findSlotsInUse(tx: Db, ownerId: string, now: Date): Promise<SlotsInUse> {
  const active = await tx.$count(
    files,
    and(eq(files.ownerId, ownerId), gt(files.expiresAt, now), isNull(files.purgingAt)),
  )
  const open = await tx
    .select({ id: uploads.id, createdAt: uploads.createdAt })
    .from(uploads)
    .where(
      and(
        eq(uploads.ownerId, ownerId),
        gt(uploads.lastActivityAt, new Date(now.getTime() - slotHeldMs)),
      ),
    )
  return { files: active, uploads: open }
}

/** Returns the condition that a column has one of these values. */
function isAnyOf(column: Column, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param(values)}::text[])`
}

/** Finds an owner's open upload by its key and records its activity, in one statement. */
export async function touchOwnUpload(
  db: Db,
  ownerId: string,
  storageKey: string,
  now: Date,
): Promise<Upload | undefined> {
  const [upload] = await db
    .update(uploads)
    .set({ lastActivityAt: now })
    .where(and(eq(uploads.storageKey, storageKey), eq(uploads.ownerId, ownerId)))
    .returning()
  return upload
}

/**
 * Ends an owner's uploads, by their keys. If several callers do this at the same time, only one of
 * them gets an upload.
 */
export async function endUploadsOf(
  db: Db,
  ownerId: string,
  storageKeys: readonly string[],
  now: Date,
): Promise<EndedUpload[]> {
  if (storageKeys.length === 0) return []
  const which = and(isAnyOf(uploads.storageKey, storageKeys), eq(uploads.ownerId, ownerId))
  return endUploads(db, lockUploads(db, which), now)
}

/**
 * Sets the last activity of uploads to `now` where it is more than a minute later. Otherwise an
 * upload of a time in which the clock was ahead would hold its slot until then. Up to a minute, the
 * clock of another server may be ahead of ours.
 */
export async function pullBackActivity(db: Db, now: Date): Promise<void> {
  await db
    .update(uploads)
    .set({ lastActivityAt: now })
    .where(gt(uploads.lastActivityAt, new Date(now.getTime() + minuteInMs)))
}

/**
 * Says which idle uploads to end. If it names an owner or a store, only the uploads of this owner
 * or in this store are ended.
 */
export interface IdleUploads extends Partial<Pick<Upload, 'ownerId' | 'storage'>> {
  /** The key of an upload that stays. */
  except?: string
  /** Only uploads that were last active before this moment. */
  before: Date
  now: Date
  limit: number
}

/** Ends up to `limit` idle uploads, the longest idle first, and returns them. */
export function takeIdleUploads(
  db: Db,
  { before, now, limit, ownerId, storage, except }: IdleUploads,
): Promise<EndedUpload[]> {
  const idle = db
    .select({ storageKey: uploads.storageKey })
    .from(uploads)
    .where(
      and(
        lt(uploads.lastActivityAt, before),
        ownerId === undefined ? undefined : eq(uploads.ownerId, ownerId),
        storage === undefined ? undefined : eq(uploads.storage, storage),
        except === undefined ? undefined : ne(uploads.storageKey, except),
      ),
    )
    .orderBy(uploads.lastActivityAt)
    .limit(limit)
    .for('update', { skipLocked: true })
  return endUploads(db, idle, now)
}

/**
 * Ends a user's uploads, except the `keep` that were active last. Returns the ended ones. An upload
 * that another transaction has locked is left alone: it is being confirmed or ended there.
 */
export function takeSurplusUploads(
  tx: Db,
  ownerId: string,
  keep: number,
  now: Date,
): Promise<EndedUpload[]> {
  const surplus = tx
    .select({ id: uploads.id })
    .from(uploads)
    .where(eq(uploads.ownerId, ownerId))
    .orderBy(desc(uploads.lastActivityAt), desc(uploads.createdAt))
    .offset(keep)
  const locked = tx
    .select({ storageKey: uploads.storageKey })
    .from(uploads)
    .where(inArray(uploads.id, surplus))
    .for('update', { skipLocked: true })
  return endUploads(tx, locked, now)
}

/**
 * Sums the bytes of unconfirmed uploads: of one owner, of those last active before a moment, or of
 * all. `chargeOf` says how many bytes each upload counts.
 */
export async function sumUnfinished(
  db: Db,
  { ownerId, idleBefore }: { ownerId?: string; idleBefore?: Date },
): Promise<number> {
  const [row] = await db
    .select({ bytes: unfinishedBytes })
    .from(uploads)
    .where(
      and(
        ownerId === undefined ? undefined : eq(uploads.ownerId, ownerId),
        idleBefore === undefined ? undefined : lt(uploads.lastActivityAt, idleBefore),
      ),
    )
  return row?.bytes ?? 0
}

/** Lets one transaction at a time count the uploads of all accounts. Others wait for its end. */
export function lockAllUploads(tx: Db): Promise<unknown> {
  return tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('mayfly: all uploads', 0))`)
}

/**
 * Tells whether this store should hold bytes: those of an upload, or of a file that is not purged.
 */
export async function namesObjectsIn(db: Db, storage: StorageName): Promise<boolean> {
  const [named] = await db
    .select({ key: files.storageKey })
    .from(files)
    .where(and(eq(files.storage, storage), isNull(files.purgedAt)))
    .unionAll(
      db.select({ key: uploads.storageKey }).from(uploads).where(eq(uploads.storage, storage)),
    )
    .limit(1)
  return named !== undefined
}
