import { type SQL, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { feedbackCategories } from '../../shared/rules/accounts/feedback.ts'
import { fileKinds } from '../../shared/rules/files/file-kind.ts'
import { storageNames } from '../../shared/rules/files/storage-name.ts'
import { tiers } from '../../shared/rules/tiers/tier.ts'
import { ownerId, users } from './account-tables.ts'
import { bytes, timestamptz } from './columns.ts'
import { requests } from './request-table.ts'
import { fileKindSql, needsHashSql } from './sql.ts'

export { blockedContent, type ReportStatement, reports } from './abuse-tables.ts'
export {
  accounts,
  accountTokens,
  apiKeys,
  pendingSignups,
  sentEmails,
  sessions,
  users,
  verifications,
} from './account-tables.ts'
export { auditLog } from './audit-table.ts'
export { emailOptOuts, linkEmails } from './email-tables.ts'
export { requests } from './request-table.ts'

/**
 * A link to one or more files. It exists from the start of its first upload. `expiresAt` and
 * `maxLifetimeAt` are set when its first file is confirmed, and `readyAt` when all the files that
 * it was created with are there. A link without files and uploads is removed.
 */
export const links = pgTable(
  'links',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: ownerId('owner_id'),
    shortCode: text('short_code').notNull().unique(),
    title: text(),
    message: text(),
    /** Null if the link has no password. */
    passwordHash: text('password_hash'),
    maxDownloads: integer('max_downloads'),
    downloadCount: integer('download_count').notNull().default(0),
    /** The owner's choice, which applies once the files are there. */
    expirationDays: smallint('expiration_days').notNull(),
    /** The tier's limit when the link was created. */
    maxLifetimeDays: smallint('max_lifetime_days').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    readyAt: timestamptz('ready_at'),
    expiresAt: timestamptz('expires_at').notNull(),
    maxLifetimeAt: timestamptz('max_lifetime_at').notNull(),
    /**
     * The `expiresAt` announced in the last expiry email to the owner. After a renewal, `expiresAt`
     * differs, so the owner gets another email. Null until the first email.
     */
    notifiedExpiresAt: timestamptz('notified_expires_at'),
    /** The request that received the link, and the name that its sender gave. */
    requestId: uuid('request_id').references(() => requests.id, { onDelete: 'set null' }),
    senderName: text('sender_name'),
    /** If false, only the owner sees the link, until they share it. */
    shared: boolean().notNull().default(true),
    /**
     * The link's files and uploads: how many there are, how many of them are uploads, their bytes,
     * and the name of the first. Stored, so that long lists are sorted without reading every file.
     * Changed under the link's lock, by `recountLinks` unless the caller knows the new values.
     */
    fileCount: integer('file_count').notNull(),
    pendingCount: integer('pending_count').notNull(),
    totalSize: bytes('total_size').notNull(),
    firstName: text('first_name').notNull(),
    /** What lists are sorted by. */
    sortName: text('sort_name')
      .notNull()
      .generatedAlwaysAs((): SQL => sql`lower(coalesce(${links.title}, ${links.firstName}))`),
  },
  (table) => [
    // Lists of an owner's links scan these in both directions.
    index('links_of_owner').on(table.ownerId, table.createdAt, table.id),
    index('links_of_owner_by_name').on(table.ownerId, table.sortName, table.id),
    index('links_of_owner_by_size').on(table.ownerId, table.totalSize, table.id),
    // Finds an owner's active links and those that expire soon, and counts files by their link's
    // status, with index-only scans.
    index('links_of_owner_by_end').on(
      table.ownerId,
      table.expiresAt,
      table.maxLifetimeAt,
      table.id,
    ),
    // Counts and lists what a request received.
    index('links_of_request').on(table.requestId).where(sql`${table.requestId} is not null`),
  ],
)

/** An upload that was started and is neither confirmed nor aborted. */
export const uploads = pgTable(
  'uploads',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: text('owner_id')
      .notNull()
      // Deleting the upload with its user would orphan its bytes.
      .references(() => users.id, { onDelete: 'restrict' }),
    storage: text({ enum: storageNames }).notNull(),
    storageKey: text('storage_key').notNull().unique(),
    originalName: text('original_name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bytes('size').notNull(),
    linkId: uuid('link_id')
      .notNull()
      .references(() => links.id, { onDelete: 'restrict' }),
    /** The file's place among the link's files. */
    position: integer().notNull(),
    /**
     * Part size in bytes, stored so that the upload can still be resumed after an update that
     * changes how part sizes are chosen.
     */
    partSize: bytes('part_size').notNull().default(8_388_608),
    /**
     * The limits when the upload started. They still apply when it is confirmed, even if the
     * administrator has changed them since. `maxFiles` is the tier's limit; null means unlimited.
     * `tier` is null for uploads that started before this column existed.
     */
    tier: text({ enum: tiers }),
    maxFiles: integer('max_files'),
    /**
     * Chosen by the client. If the response to a start request is lost, repeating the request with
     * the same key finds the upload.
     */
    idempotencyKey: text('idempotency_key'),
    createdAt: timestamptz('created_at').notNull(),
    /** When bytes were last received or a URL was last signed. */
    lastActivityAt: timestamptz('last_activity_at').notNull(),
  },
  (table) => [
    // Also serves queries for all of an owner's uploads.
    uniqueIndex('uploads_owner_id_idempotency_key').on(table.ownerId, table.idempotencyKey),
    index('uploads_last_activity_at').on(table.lastActivityAt),
    index('uploads_of_link').on(table.linkId),
    // Used by the job that compares the database with storage.
    index('uploads_keys').on(table.storage, sql`${table.storageKey} collate "C"`),
  ],
)

/**
 * Bytes that may be in storage without an upload or file: from uploads that didn't become files,
 * from files of deleted users, and from the administrator's test uploads. The row is inserted by
 * the statement that deletes the upload's or file's row, or before a test upload begins. It is
 * deleted when storage confirms that the bytes are gone.
 */
export const removals = pgTable(
  'removals',
  {
    storageKey: text('storage_key').primaryKey(),
    storage: text({ enum: storageNames }).notNull(),
    /** When the bytes are due for removal. Until then, a test upload may still be in progress. */
    dueAt: timestamptz('due_at').notNull(),
    /** Number of removal attempts. `tryAt` is the time of the next one. */
    tries: integer().notNull(),
    tryAt: timestamptz('try_at').notNull(),
    /**
     * The file that the bytes belonged to and its owner, for the file's receipt. Both are null if
     * there was no file.
     */
    fileId: uuid('file_id'),
    ownerId: text('owner_id'),
  },
  (table) => [index('removals_storage_try_at').on(table.storage, table.tryAt)],
)

/**
 * A confirmed file. `linkId` is null once its owner has deleted the file. `deletedAt` is set when
 * the owner deletes the file, `purgingAt` when the removal of the bytes begins, and `purgedAt` when
 * storage confirms that the bytes are gone. `purgeDueAt`, the deadline for the removal, is set
 * together with `purgingAt`. A deleted file's row is removed after its bytes and leaves a receipt
 * in `deletion_receipts`.
 */
export const files = pgTable(
  'files',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    storage: text({ enum: storageNames }).notNull(),
    storageKey: text('storage_key').notNull().unique(),
    originalName: text('original_name').notNull(),
    /** The name in lowercase, for searching and sorting. */
    searchName: text('search_name')
      .notNull()
      .generatedAlwaysAs((): SQL => sql`lower(${files.originalName})`),
    mimeType: text('mime_type').notNull(),
    /** The kind that `fileKind` returns for the file's type and name. */
    kind: text({ enum: fileKinds })
      .notNull()
      .generatedAlwaysAs((): SQL => fileKindSql(files)),
    size: bytes('size').notNull(),
    linkId: uuid('link_id').references(() => links.id, { onDelete: 'restrict' }),
    position: integer().notNull(),
    createdAt: timestamptz('created_at').notNull(),
    downloadCount: integer('download_count').notNull().default(0),
    /** Null until the first download. */
    lastDownloadAt: timestamptz('last_download_at'),
    uploadDuration: real('upload_duration'),
    sha256: text(),
    /** Null until the server knows it. */
    crc32: bigint({ mode: 'number' }),
    /**
     * True if the server computed `sha256` from the stored bytes, or found no bytes, in which case
     * `sha256` is null. If false, `sha256` is the uploader's unverified claim or null.
     */
    isContentProved: boolean('is_content_proved').notNull().default(false),
    deletedAt: timestamptz('deleted_at'),
    /** The time of the takedown, and the reason shown to the owner. */
    takenDownAt: timestamptz('taken_down_at'),
    takedownReason: text('takedown_reason'),
    purgingAt: timestamptz('purging_at'),
    purgedAt: timestamptz('purged_at'),
    purgeDueAt: timestamptz('purge_due_at'),
    purgeTries: integer('purge_tries').notNull().default(0),
    /**
     * When the bytes are due for removal: once the link has ended and the owner can't renew it. Set
     * when the upload is confirmed, the link is renewed or the owner's tier changes. Once the
     * removal has begun, this is the time of the next attempt.
     */
    purgeAt: timestamptz('purge_at').notNull(),
  },
  (table) => [
    // Lists of an owner's files scan this index backwards. `createdAt` has no `desc()`, because
    // that also means `nulls last`, and the index would no longer match the order of the lists.
    index('files_of_owner').on(table.ownerId, table.createdAt, table.id),
    index('files_of_link').on(table.linkId, table.position),
    // Counts an owner's files by state and kind, and sums their sizes, with index-only scans.
    index('files_of_owner_by_link').on(
      table.ownerId,
      table.linkId,
      table.purgingAt,
      table.deletedAt,
      table.kind,
      table.size,
    ),
    // Used to find an owner's most downloaded files, and in a takedown to find all files with the
    // same content.
    index('files_kept_sha256')
      .on(table.sha256)
      .where(sql`${table.purgingAt} is null and ${table.purgedAt} is null`),
    // Finds files for the job that computes missing SHA-256 digests.
    index('files_to_hash').on(table.storage, table.id).where(needsHashSql(table)),
    // The purge and the report of overdue files scan this index up to the current time.
    index('files_to_purge').on(table.storage, table.purgeAt).where(sql`${table.purgedAt} is null`),
    // Finds the files of an owner whose tier has changed, in the order in which they are locked.
    index('files_kept_of_owner')
      .on(table.ownerId, table.id)
      .where(sql`${table.purgingAt} is null and ${table.purgedAt} is null`),
    // Sums the file sizes in a store with an index-only scan.
    index('files_unpurged_size')
      .on(table.storage, table.size)
      .where(sql`${table.purgedAt} is null`),
    // Used by the job that compares the database with storage. Storage lists its keys in byte
    // order, so the index has the same order.
    index('files_unpurged_keys')
      .on(table.storage, sql`${table.storageKey} collate "C"`)
      .where(sql`${table.purgedAt} is null`),
  ],
)

/**
 * Proof that a file's bytes were removed: when the removal was due, and when storage confirmed it.
 * Receipts outlive the file's row. Owners see the file name in the receipt for the period in
 * `shared/rules/receipt.ts`. Then a job removes the name, and the owner's id is the only personal
 * data left.
 */
export const deletionReceipts = pgTable(
  'deletion_receipts',
  {
    fileId: uuid('file_id').primaryKey(),
    ownerId: text('owner_id').notNull(),
    storage: text({ enum: storageNames }).notNull(),
    storageKey: text('storage_key').notNull(),
    originalName: text('original_name'),
    dueAt: timestamptz('due_at').notNull(),
    purgedAt: timestamptz('purged_at').notNull(),
  },
  (table) => [
    // The list of an owner's receipts scans this index backwards, newest first.
    index('deletion_receipts_of_owner')
      .on(table.ownerId, table.purgedAt, table.fileId)
      .where(sql`${table.originalName} is not null`),
    // Used by the job that removes old file names from receipts.
    index('deletion_receipts_named')
      .on(table.purgedAt)
      .where(sql`${table.originalName} is not null`),
  ],
)

/**
 * Each job's last runs. `startedAt`, `endedAt` and `result` (its counts) describe the last
 * successful run, `failedAt` and `failure` the last failed one. `failures` counts the failures
 * since the last success.
 */
export const jobRuns = pgTable('job_runs', {
  job: text().primaryKey(),
  startedAt: timestamptz('started_at'),
  endedAt: timestamptz('ended_at'),
  result: jsonb().$type<Record<string, number>>(),
  failedAt: timestamptz('failed_at'),
  failure: text(),
  failures: integer().notNull().default(0),
})

/** All short codes ever issued. Codes are never reused, even after the file is gone. */
export const shortCodes = pgTable('short_codes', {
  code: text().primaryKey(),
  issuedAt: timestamptz('issued_at').notNull(),
})

/** Daily downloads per file (UTC). */
export const fileDownloads = pgTable(
  'file_downloads',
  {
    fileId: uuid('file_id')
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    day: date().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.day] })],
)

/**
 * Daily downloads per user (UTC), for the period that Analytics shows. Downloads of files deleted
 * later still count. Each day has several rows, and `shard` selects the row for a file, so that
 * concurrent downloads of different files rarely contend for a row.
 */
export const ownerDownloads = pgTable(
  'owner_downloads',
  {
    ownerId: ownerId('owner_id'),
    day: date().notNull(),
    shard: smallint().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.day, table.shard] })],
)

/**
 * Who has begun to download a link with a limited number of downloads, so that resuming doesn't
 * count again. `client` is a keyed hash of the client's address.
 */
export const downloadStarts = pgTable(
  'download_starts',
  {
    linkId: uuid('link_id')
      .notNull()
      .references(() => links.id, { onDelete: 'cascade' }),
    client: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.linkId, table.client] })],
)

/** Users' File Manager settings. A user without a row has the defaults. */
export const preferences = pgTable('preferences', {
  userId: ownerId().primaryKey(),
  defaultExpirationDays: smallint('default_expiration_days').notNull(),
  mailOnFirstDownload: boolean('mail_on_first_download').notNull(),
  mailBeforeExpiry: boolean('mail_before_expiry').notNull(),
  mailOnDelivery: boolean('mail_on_delivery').notNull().default(true),
})

/**
 * Links with a first download whose owners have yet to be emailed about it. A row is removed when
 * the email is queued, or if the owner no longer wants it.
 */
export const firstDownloads = pgTable(
  'first_downloads',
  {
    linkId: uuid('link_id')
      .primaryKey()
      .references(() => links.id, { onDelete: 'cascade' }),
    /** The link's owner, which never changes. */
    ownerId: text('owner_id').notNull(),
  },
  // The job that queues these emails handles one owner at a time and finds the rows with this
  // index.
  (table) => [index('first_downloads_of_owner').on(table.ownerId, table.linkId)],
)

const binary = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/**
 * A user's brand on download pages, which replaces our name and colors (spec §2). The row is kept,
 * but not shown, when the user's tier no longer allows a brand. The logo is the PNG served to
 * clients, a few kilobytes. `logo_key` is its hash.
 */
export const branding = pgTable(
  'branding',
  {
    ownerId: ownerId().primaryKey(),
    /** Empty if the user set only a logo. */
    name: text().notNull().default(''),
    /** The accent color, as `#rrggbb`. */
    accent: text(),
    message: text().notNull().default(''),
    logo: binary(),
    logoKey: text('logo_key'),
    /** Dimensions in pixels. */
    logoWidth: smallint('logo_width'),
    logoHeight: smallint('logo_height'),
    updatedAt: timestamptz('updated_at').notNull(),
  },
  (table) => [
    index('branding_logo_key').on(table.logoKey),
    check('branding_accent', sql`${table.accent} ~ '^#[0-9a-f]{6}$'`),
    check(
      'branding_whole_logo',
      sql`num_nonnulls(${table.logo}, ${table.logoKey}, ${table.logoWidth}, ${table.logoHeight}) in (0, 4)`,
    ),
  ],
)

/**
 * Messages sent with the feedback form. `isSuspect` is true if a message was probably sent by a
 * bot.
 */
export const feedback = pgTable(
  'feedback',
  {
    id: uuid().primaryKey().defaultRandom(),
    name: text().notNull(),
    email: text().notNull(),
    category: text({ enum: feedbackCategories }),
    message: text().notNull(),
    isSuspect: boolean('is_suspect').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  // The feedback list scans this index backwards.
  (table) => [index('feedback_created_at').on(table.createdAt, table.id)],
)

/** Tables that concern the whole installation: its settings and the rate limiter's counters. */

/** The administrator's settings. A key without a row has its default. */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: text().notNull(),
  description: text().notNull().default(''),
  updatedAt: timestamptz('updated_at').notNull(),
})

/** The rate limiter's counters. `expire` is in milliseconds since the epoch. */
export const rateLimits = pgTable('rate_limits', {
  key: text().primaryKey(),
  points: integer().notNull().default(0),
  expire: bigint({ mode: 'number' }),
})
