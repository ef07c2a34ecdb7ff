import { and, desc, eq, gt, gte, inArray, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { type RequestDates, requestState } from '../../shared/rules/links/request-state.ts'
import { brandColumns } from '../branding/queries.ts'
import { branding, files, links, requests, shortCodes, uploads, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { AppError } from '../errors.ts'

export type RequestRow = typeof requests.$inferSelect

/** What the owner of a request can choose. */
export type RequestOptions = Pick<
  RequestRow,
  'title' | 'message' | 'passwordHash' | 'maxLinks' | 'maxFileSize' | 'closesAt'
>

/** Fields to write. Undefined ones are left out. */
export type Undefinable<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

/**
 * Inserts a request. Returns its id.
 * @throws if its code was issued before. The transaction must then be rolled back.
 */
export async function insertRequest(
  tx: Db,
  { code, createdAt, ...values }: typeof requests.$inferInsert,
): Promise<string> {
  await tx.insert(shortCodes).values({ code, issuedAt: createdAt })
  const [row] = await tx
    .insert(requests)
    .values({ code, createdAt, ...values })
    .returning({ id: requests.id })
  if (!row) throw new Error('Expected the row that was inserted.')
  return row.id
}

export async function updateRequest(
  tx: Db,
  id: string,
  changes: Undefinable<RequestOptions>,
): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return
  await tx.update(requests).set(changes).where(eq(requests.id, id))
}

/** Locks a request until the transaction ends. */
export async function lockRequest(tx: Db, condition: SQL): Promise<RequestRow | undefined> {
  const [request] = await tx.select().from(requests).where(condition).for('update')
  return request
}

/**
 * Locks a request that takes deliveries until the transaction ends.
 * @throws {AppError} REQUEST_NOT_FOUND if it has closed.
 */
export async function lockOpenRequest(tx: Db, id: string, now: Date): Promise<RequestRow> {
  const request = await lockRequest(tx, eq(requests.id, id))
  if (!request || requestState(request, now) === 'closed') throw new AppError('REQUEST_NOT_FOUND')
  return request
}

export async function markClosed(tx: Db, id: string, now: Date): Promise<void> {
  await tx.update(requests).set({ closedAt: now }).where(eq(requests.id, id))
}

/** Counts an owner's open requests, except the one with this id. */
export function countOpenRequests(
  tx: Db,
  ownerId: string,
  exceptId: string | null,
  now: Date,
): Promise<number> {
  return tx.$count(
    requests,
    and(
      eq(requests.ownerId, ownerId),
      isNull(requests.closedAt),
      gt(requests.closesAt, now),
      sql`${requests.id} is distinct from ${exceptId}::uuid`,
    ),
  )
}

/** SQL: true for a link with a file. */
const hasFile = sql`exists (select 1 from ${files} where ${files.linkId} = ${links.id})`
const hasUpload = sql`exists (select 1 from ${uploads} where ${uploads.linkId} = ${links.id})`

/** True if a request takes no further delivery. Those on their way count too. */
export async function hasAllDeliveries(
  db: Db,
  { id, maxLinks }: Pick<RequestRow, 'id' | 'maxLinks'>,
): Promise<boolean> {
  if (maxLinks === null) return false
  return (await db.$count(links, and(eq(links.requestId, id), or(hasFile, hasUpload)))) >= maxLinks
}

function selectRequests(db: Db) {
  const isReceived = and(eq(links.requestId, requests.id), hasFile)
  return db
    .select({ request: requests, owner: users.email, receivedCount: db.$count(links, isReceived) })
    .from(requests)
    .innerJoin(users, eq(users.id, requests.ownerId))
}

/** A request with its owner's address and the number of deliveries with at least one file. */
export type ListedRequest = Awaited<ReturnType<typeof selectRequests>>[number]

export type RequestPosition = readonly [createdAt: Date, id: string]

/** Lists a page of a user's requests, or of everybody's if `ownerId` is null, newest first. */
export function listRequests(
  db: Db,
  ownerId: string | null,
  { limit, after }: { limit: number; after: RequestPosition | undefined },
): Promise<ListedRequest[]> {
  return selectRequests(db)
    .where(
      and(
        ownerId === null ? undefined : eq(requests.ownerId, ownerId),
        after &&
          sql`(${requests.createdAt}, ${requests.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`,
      ),
    )
    .orderBy(desc(requests.createdAt), desc(requests.id))
    .limit(limit)
}

export async function findRequest(db: Db, id: string): Promise<ListedRequest | undefined> {
  const [row] = await selectRequests(db).where(eq(requests.id, id))
  return row
}

/** Finds a request by its code, with its owner's name, tier and brand. */
export async function findRequestByCode(db: Db, code: string) {
  const [row] = await db
    .select({
      request: requests,
      owner: {
        name: users.name,
        tier: users.tier,
        premiumTrialStartedAt: users.premiumTrialStartedAt,
        premiumTrialEndsAt: users.premiumTrialEndsAt,
      },
      brand: brandColumns,
    })
    .from(requests)
    .innerJoin(users, eq(users.id, requests.ownerId))
    .leftJoin(branding, eq(branding.ownerId, requests.ownerId))
    .where(eq(requests.code, code))
  return row
}

export interface Delivery extends RequestDates {
  ownerId: string
  requestId: string
  shortCode: string
  /** True if its sender can add files: others are still uploading, and its owner alone sees it. */
  takesFiles: boolean
}

/** Finds a received link by id, with the dates of its request. */
export async function findDelivery(db: Db, linkId: string): Promise<Delivery | undefined> {
  const [delivery] = await db
    .select({
      ownerId: links.ownerId,
      requestId: requests.id,
      shortCode: links.shortCode,
      takesFiles: sql<boolean>`${hasUpload} and not ${links.shared}`,
      closesAt: requests.closesAt,
      closedAt: requests.closedAt,
    })
    .from(links)
    .innerJoin(requests, eq(requests.id, links.requestId))
    .where(eq(links.id, linkId))
  return delivery
}

/** True if an upload or a file of a received link has this storage key. */
export async function isInDelivery(db: Db, linkId: string, storageKey: string): Promise<boolean> {
  const isUpload = and(eq(uploads.linkId, linkId), eq(uploads.storageKey, storageKey))
  const isFile = and(eq(files.linkId, linkId), eq(files.storageKey, storageKey))
  // The upload comes first, because a parallel confirm turns it into a file.
  return (await db.$count(uploads, isUpload)) > 0 || (await db.$count(files, isFile)) > 0
}

/**
 * Begins a period that one email reports, unless one has begun since `cutoff`. Returns false if it
 * has.
 */
export async function beginDeliveryPeriod(
  tx: Db,
  id: string,
  { now, cutoff }: { now: Date; cutoff: Date },
): Promise<boolean> {
  const hasNone = or(isNull(requests.deliveredAt), lte(requests.deliveredAt, cutoff))
  const { rowCount } = await tx
    .update(requests)
    .set({ deliveredAt: now })
    .where(and(eq(requests.id, id), hasNone))
  return rowCount === 1
}

/** Summarizes the deliveries whose first file arrived in this period, oldest first. */
export function listDeliveries(
  db: Db,
  requestId: string,
  { from, until }: { from: Date; until: Date },
): Promise<{ senderName: string | null; fileCount: number; size: number }[]> {
  return db
    .select({
      senderName: links.senderName,
      fileCount: sql`count(*)`.mapWith(Number),
      size: sql`sum(${files.size})`.mapWith(Number),
    })
    .from(links)
    .innerJoin(files, eq(files.linkId, links.id))
    .where(
      and(eq(links.requestId, requestId), gte(links.createdAt, from), lt(links.createdAt, until)),
    )
    .groupBy(links.id)
    .orderBy(links.createdAt, links.id)
}

/**
 * Claims up to `limit` open requests that close by `until` and have received nothing, for a
 * reminder. A request that is open for a day or less gets none.
 */
export function claimForReminder(
  tx: Db,
  { now, until }: { now: Date; until: Date },
  limit: number,
): Promise<Pick<RequestRow, 'id' | 'closesAt'>[]> {
  const dueRequests = tx
    .select({ id: requests.id })
    .from(requests)
    .where(
      and(
        isNull(requests.closedAt),
        gt(requests.closesAt, now),
        lte(requests.closesAt, until),
        sql`${requests.createdAt} < ${requests.closesAt} - interval '1 day'`,
        sql`${requests.notifiedClosesAt} is distinct from ${requests.closesAt}`,
        sql`not exists (select 1 from ${links} where ${links.requestId} = ${requests.id} and ${hasFile})`,
      ),
    )
    .orderBy(requests.id)
    .limit(limit)
    .for('update', { skipLocked: true })
  return tx
    .update(requests)
    .set({ notifiedClosesAt: sql`${requests.closesAt}` })
    .where(inArray(requests.id, dueRequests))
    .returning({ id: requests.id, closesAt: requests.closesAt })
}
