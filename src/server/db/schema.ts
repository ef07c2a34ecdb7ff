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
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { emailKinds } from '../../shared/rules/accounts/email-limits.ts'
import { feedbackCategories } from '../../shared/rules/accounts/feedback.ts'
import { defaultRole, roles } from '../../shared/rules/accounts/role.ts'
import { tokenPurposes } from '../../shared/rules/accounts/session-life.ts'
import { fileKinds } from '../../shared/rules/files/file-kind.ts'
import { storageNames } from '../../shared/rules/files/storage-name.ts'
import { defaultTier, tiers } from '../../shared/rules/tiers/tier.ts'
import { bytes, moment } from './columns.ts'
import { fileKindSql, isToHashSql } from './sql.ts'

export { blockedContent, type ReportStatement, reports } from './abuse-tables.ts'
export { auditLog } from './audit-table.ts'

/** The users. `email` is in lower case. */
export const users = pgTable(
  'users',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull().unique(),
    emailVerified: boolean('email_verified').notNull().default(false),
    image: text(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
    firstName: text('first_name').notNull().default(''),
    lastName: text('last_name').notNull().default(''),
    tier: text({ enum: tiers }).notNull().default(defaultTier),
    role: text({ enum: roles }).notNull().default(defaultRole),
    premiumTrialStartedAt: moment('premium_trial_started_at'),
    premiumTrialEndsAt: moment('premium_trial_ends_at'),
    /**
     * The mail address and the name in lower case. The administrator's search looks for its text in
     * this column.
     */
    searchText: text('search_text')
      .notNull()
      .generatedAlwaysAs((): SQL => sql`lower(${users.email} || ' ' || ${users.name})`),
  },
  (table) => [
    // Finds the users whose trial has ended but whose tier is still premium.
    index('users_running_trials')
      .on(table.premiumTrialEndsAt)
      .where(sql`${table.tier} = 'premium' and ${table.premiumTrialEndsAt} is not null`),
    index('users_created_at').on(table.createdAt, table.id),
    // The administrator's search.
    index('users_search_text').using('gin', table.searchText.op('gin_trgm_ops')),
  ],
)

function ownerId() {
  return text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
}

/** The sessions, one row for each signed-in browser. `updatedAt` is the last recorded use. */
export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    token: text().notNull().unique(),
    userId: ownerId(),
    expiresAt: moment('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('sessions_user_id').on(table.userId)],
)

/**
 * The ways to sign in: a password, or a provider such as Google. A user has each way at most once.
 * One person at a provider belongs to at most one user.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    userId: ownerId(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    /** The hash of the password; null for a provider. */
    password: text(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('accounts_user_id_provider_id').on(table.userId, table.providerId),
    uniqueIndex('accounts_provider_id_account_id').on(table.providerId, table.accountId),
  ],
)

/** The sign-ins that wait for the answer of Google or another issuer. */
export const verifications = pgTable('verifications', {
  identifier: text().primaryKey(),
  value: text().notNull(),
  expiresAt: moment('expires_at').notNull(),
})

/**
 * Signups whose address nobody has verified yet (design §6). The account is made only when the link
 * in the email is opened. Several signups for one address may wait. `browser` is the browser's name
 * for people, null where it is unknown.
 */
export const pendingSignups = pgTable(
  'pending_signups',
  {
    id: text().primaryKey(),
    email: text().notNull(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    passwordHash: text('password_hash').notNull(),
    browser: text(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('pending_signups_email_created_at').on(table.email, table.createdAt.desc())],
)

/**
 * The links in emails that change an account, or turn a pending signup into one. Each is stored as
 * the SHA-256 of its token. `stamp` stands for the address and the password of the account or the
 * signup: when either changes, the token stops working.
 */
export const accountTokens = pgTable(
  'account_tokens',
  {
    hash: text().primaryKey(),
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    signupId: text('signup_id').references(() => pendingSignups.id, { onDelete: 'cascade' }),
    purpose: text({ enum: tokenPurposes }).notNull(),
    stamp: text().notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('account_tokens_user_id').on(table.userId),
    index('account_tokens_signup_id').on(table.signupId),
    check('account_tokens_one_subject', sql`num_nonnulls(${table.userId}, ${table.signupId}) = 1`),
  ],
)

/** The emails that count against the limits of `jobs/send-mail.ts`, by the id of their job. */
export const sentEmails = pgTable(
  'sent_emails',
  {
    id: uuid().primaryKey(),
    email: text().notNull(),
    kind: text({ enum: emailKinds }).notNull(),
    sentAt: moment('sent_at').notNull(),
  },
  (table) => [index('sent_emails_email_sent_at').on(table.email, table.sentAt)],
)

/** An upload that was started and is neither confirmed nor aborted. */
export const uploads = pgTable(
  'uploads',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: text('owner_id')
      .notNull()
      // If the row of an upload were removed together with its user, nobody would remove the bytes.
      .references(() => users.id, { onDelete: 'restrict' }),
    storage: text({ enum: storageNames }).notNull(),
    storageKey: text('storage_key').notNull().unique(),
    originalName: text('original_name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bytes('size').notNull(),
    expirationDays: smallint('expiration_days').notNull(),
    /**
     * The size of the upload's parts in bytes. It is kept here so that an upload can go on after a
     * new version computes other sizes.
     */
    partSize: bytes('part_size').notNull().default(8_388_608),
    /**
     * The limits under which the upload was started. They still apply when the upload is confirmed,
     * even if the administrator has changed the limits since. `maxFiles` is the limit of `tier`;
     * null means no limit. `tier` is null for uploads that began before this column existed.
     */
    tier: text({ enum: tiers }),
    maxFiles: integer('max_files'),
    maxLifetimeDays: smallint('max_lifetime_days').notNull().default(30),
    /**
     * A key that the client chose. If the client lost the answer to the start of the upload, it
     * finds the upload by this key.
     */
    idempotencyKey: text('idempotency_key'),
    createdAt: moment('created_at').notNull(),
    /** When bytes last arrived or a URL was last signed. The upload has been idle since then. */
    lastActivityAt: moment('last_activity_at').notNull(),
  },
  (table) => [
    // This index also serves the queries for all uploads of an owner.
    uniqueIndex('uploads_owner_id_idempotency_key').on(table.ownerId, table.idempotencyKey),
    index('uploads_last_activity_at').on(table.lastActivityAt),
    // The job that compares the database with storage reads the uploads by this index.
    index('uploads_keys').on(table.storage, sql`${table.storageKey} collate "C"`),
  ],
)

/**
 * Bytes that storage may hold but that no upload and no file names. They come from uploads that did
 * not become files, from files of deleted users, and from test uploads of the administrator. The
 * statement that removes the upload's or the file's row adds the row here. For a test upload, the
 * row is added before the upload begins. The row is removed when storage has confirmed that no
 * bytes are left.
 */
export const removals = pgTable(
  'removals',
  {
    storageKey: text('storage_key').primaryKey(),
    storage: text({ enum: storageNames }).notNull(),
    /**
     * When the server should remove the bytes. Before this moment, a test upload may still be
     * sending them.
     */
    dueAt: moment('due_at').notNull(),
    /** How many times the server has tried to remove the bytes. `tryAt` is the next try. */
    tries: integer().notNull(),
    tryAt: moment('try_at').notNull(),
    /**
     * The file that the bytes belonged to, and its owner. When the bytes are gone, this file gets a
     * receipt. Both are null if the bytes did not belong to a file.
     */
    fileId: uuid('file_id'),
    ownerId: text('owner_id'),
  },
  (table) => [index('removals_storage_try_at').on(table.storage, table.tryAt)],
)

/**
 * A confirmed file and its link. `deletedAt` is set when the owner deletes the file, `purgingAt`
 * when the removal of the bytes begins, and `purgedAt` when storage has confirmed that no bytes are
 * left. `purgeDueAt` is the moment when the bytes had to be removed. It is set together with
 * `purgingAt`. The row of a deleted file is removed after its bytes, and leaves a receipt in
 * `deletion_receipts`.
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
    /**
     * The name in lower case. A search looks for its text in this column, and the list by name is
     * sorted by it.
     */
    searchName: text('search_name')
      .notNull()
      .generatedAlwaysAs((): SQL => sql`lower(${files.originalName})`),
    mimeType: text('mime_type').notNull(),
    /** The kind that `fileKind` gives for the file's type and name. */
    kind: text({ enum: fileKinds })
      .notNull()
      .generatedAlwaysAs((): SQL => fileKindSql(files)),
    size: bytes('size').notNull(),
    shortCode: text('short_code').notNull().unique(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    maxLifetimeAt: moment('max_lifetime_at').notNull(),
    downloadCount: integer('download_count').notNull().default(0),
    /** null before the first download. */
    lastDownloadAt: moment('last_download_at'),
    uploadDuration: real('upload_duration'),
    sha256: text(),
    /**
     * True if this server has computed `sha256` from the stored bytes, or found that no bytes are
     * stored. In the second case `sha256` is null. False if `sha256` is only what the sender
     * claims, or null.
     */
    isContentProved: boolean('is_content_proved').notNull().default(false),
    /**
     * The `expiresAt` that the last email to the owner about the end of the link has named. It
     * differs from `expiresAt` after a renewal, so the owner gets another email. null before the
     * first email.
     */
    notifiedExpiresAt: moment('notified_expires_at'),
    deletedAt: moment('deleted_at'),
    /** When the administrator took the file down, and the reason for the owner. */
    takenDownAt: moment('taken_down_at'),
    takedownReason: text('takedown_reason'),
    purgingAt: moment('purging_at'),
    purgedAt: moment('purged_at'),
    purgeDueAt: moment('purge_due_at'),
    /** How often the server tried to remove the bytes. */
    purgeTries: integer('purge_tries').notNull().default(0),
    /**
     * When the bytes must be removed: when the link has ended and the owner can no longer renew it.
     * A confirm, a renewal and a change of the tier set it. After the removal has begun, it is when
     * the next try may begin.
     */
    purgeAt: moment('purge_at').notNull(),
  },
  (table) => [
    // Lists of an owner's files are read from this index, from its end to its start. A search
    // compares the names in the index, and reads only the rows that match from the table. The
    // column has no `desc()`, because that would put null last, and the order of a list puts null
    // first.
    index('files_of_owner').on(
      table.ownerId,
      table.createdAt,
      table.id,
      table.searchName,
      table.deletedAt,
    ),
    // Lists that are sorted by name or by size are read from these indexes, in both directions.
    index('files_of_owner_by_name').on(table.ownerId, table.searchName, table.id, table.deletedAt),
    index('files_of_owner_by_size').on(
      table.ownerId,
      table.size,
      table.id,
      table.searchName,
      table.deletedAt,
    ),
    // This index counts an owner's files by their state and kind, and sums their sizes, without
    // reading the table.
    index('files_of_owner_by_end').on(
      table.ownerId,
      table.expiresAt,
      table.maxLifetimeAt,
      table.purgingAt,
      table.deletedAt,
      table.kind,
      table.size,
    ),
    // Finds the most downloaded files of an owner.
    // Takedowns use this index to find all files with the same content.
    index('files_kept_sha256')
      .on(table.sha256)
      .where(sql`${table.purgingAt} is null and ${table.purgedAt} is null`),
    // The job that computes missing SHA-256 digests finds its files here.
    index('files_to_hash').on(table.storage, table.id).where(isToHashSql(table)),
    // The purge and the report of overdue files read this index up to now.
    index('files_to_purge').on(table.storage, table.purgeAt).where(sql`${table.purgedAt} is null`),
    // Finds the files of an owner whose tier has changed, in the order in which they are locked.
    index('files_kept_of_owner')
      .on(table.ownerId, table.id)
      .where(sql`${table.purgingAt} is null and ${table.purgedAt} is null`),
    // Sums the bytes in a store without reading the table.
    index('files_unpurged_size')
      .on(table.storage, table.size)
      .where(sql`${table.purgedAt} is null`),
    // The job that compares the database with storage reads the files by this index. Storage lists
    // its keys in byte order, so the index has the same order.
    index('files_unpurged_keys')
      .on(table.storage, sql`${table.storageKey} collate "C"`)
      .where(sql`${table.purgedAt} is null`),
  ],
)

/**
 * Proves that the bytes of a file were removed: when they were due, and when storage confirmed it.
 * The receipt stays when the file's row is removed. For the time in `shared/rules/receipt.ts`, the
 * owner sees the receipt with the file's name. Then a job removes the name, and the only personal
 * data left in the receipt is the owner's id.
 */
export const deletionReceipts = pgTable(
  'deletion_receipts',
  {
    fileId: uuid('file_id').primaryKey(),
    ownerId: text('owner_id').notNull(),
    storage: text({ enum: storageNames }).notNull(),
    storageKey: text('storage_key').notNull(),
    originalName: text('original_name'),
    dueAt: moment('due_at').notNull(),
    purgedAt: moment('purged_at').notNull(),
  },
  (table) => [
    // The list of an owner's receipts reads this index backwards, so the newest come first.
    index('deletion_receipts_of_owner')
      .on(table.ownerId, table.purgedAt, table.fileId)
      .where(sql`${table.originalName} is not null`),
    // The job that removes old names uses this index.
    index('deletion_receipts_named')
      .on(table.purgedAt)
      .where(sql`${table.originalName} is not null`),
  ],
)

/**
 * The last runs of each job. `startedAt`, `endedAt` and `result` (the figures of what it did)
 * describe the last run that succeeded. `failedAt` and `failure` describe the last run that failed.
 * `failures` counts the failed runs since the last success.
 */
export const jobRuns = pgTable('job_runs', {
  job: text().primaryKey(),
  startedAt: moment('started_at'),
  endedAt: moment('ended_at'),
  result: jsonb().$type<Record<string, number>>(),
  failedAt: moment('failed_at'),
  failure: text(),
  failures: integer().notNull().default(0),
})

/** Every short code that was ever given. No code is given twice, even after its file is gone. */
export const shortCodes = pgTable('short_codes', {
  code: text().primaryKey(),
  issuedAt: moment('issued_at').notNull(),
})

/** The number of downloads of a file for each day (UTC). */
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
 * The number of downloads of all files of a user for each day (UTC) that Analytics still shows.
 * Downloads of files that are deleted later stay counted. Each day has several rows, and `shard`
 * says in which one the downloads of a file are counted. So parallel downloads of different files
 * rarely wait for the same row.
 */
export const ownerDownloads = pgTable(
  'owner_downloads',
  {
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    day: date().notNull(),
    shard: smallint().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.day, table.shard] })],
)

/**
 * What users have set for their own files in the File Manager. A user without a row has the
 * defaults.
 */
export const preferences = pgTable('preferences', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  defaultExpirationDays: smallint('default_expiration_days').notNull(),
  mailOnFirstDownload: boolean('mail_on_first_download').notNull(),
  mailBeforeExpiry: boolean('mail_before_expiry').notNull(),
})

/**
 * The files that were downloaded for the first time and whose owners want an email about that. A
 * row is removed when the email is requested, or if the owner no longer wants it by then.
 */
export const firstDownloads = pgTable(
  'first_downloads',
  {
    fileId: uuid('file_id')
      .primaryKey()
      .references(() => files.id, { onDelete: 'cascade' }),
    /** The owner of the file, which never changes. */
    ownerId: text('owner_id').notNull(),
  },
  // The job that requests the emails about first downloads takes one owner after the other. It
  // reads only the rows of that owner.
  (table) => [index('first_downloads_of_owner').on(table.ownerId, table.fileId)],
)

const binary = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/**
 * What a user's download pages show in place of our name and colours (spec §2). The row stays when
 * the user's tier no longer allows a brand, but it is not shown then. The logo is the PNG that
 * clients get, a few kilobytes. `logo_key` is a hash of it.
 */
export const branding = pgTable(
  'branding',
  {
    ownerId: ownerId().primaryKey(),
    /** Empty if the user gave only a logo. */
    name: text().notNull().default(''),
    /** The colour that the user chose, as `#rrggbb`. */
    accent: text(),
    message: text().notNull().default(''),
    logo: binary(),
    logoKey: text('logo_key'),
    /** The width and the height in pixels. */
    logoWidth: smallint('logo_width'),
    logoHeight: smallint('logo_height'),
    updatedAt: moment('updated_at').notNull(),
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
 * What people sent by the feedback form. `isSuspect` is true for what a robot seems to have sent.
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
    createdAt: moment('created_at').notNull(),
  },
  // The list of feedback is read from this index, from its end to its start.
  (table) => [index('feedback_created_at').on(table.createdAt, table.id)],
)

/** The tables about the whole installation: its settings and the counters of the rate limiter. */

/** The settings that the administrator can change. If a key has no row, its default applies. */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: text().notNull(),
  description: text().notNull().default(''),
  updatedAt: timestamp('updated_at', { withTimezone: true, mode: 'date' }).notNull(),
})

/** The counters of the rate limiter. `expire` is in milliseconds since 1970. */
export const rateLimits = pgTable('rate_limits', {
  key: text().primaryKey(),
  points: integer().notNull().default(0),
  expire: bigint({ mode: 'number' }),
})
