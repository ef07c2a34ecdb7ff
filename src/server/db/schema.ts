import { type SQL, sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
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
import { auditActions } from '../../shared/rules/audit-action.ts'
import { limitedLetters } from '../../shared/rules/letter-limit.ts'
import { roles } from '../../shared/rules/role.ts'
import { defaultTier, tiers } from '../../shared/rules/tier.ts'
import { tokenPurposes } from '../../shared/rules/token-purpose.ts'
import { storageNames } from '../storage/storage-name.ts'

function moment(name: string) {
  return timestamp(name, { withTimezone: true, mode: 'date' })
}
function bytes(name: string) {
  return bigint(name, { mode: 'number' })
}

/** Accounts. The first block of columns is Better Auth's user model, the second is ours. */
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
    role: text({ enum: roles }).notNull().default('user'),
    premiumTrialStartedAt: moment('premium_trial_started_at'),
    premiumTrialEndsAt: moment('premium_trial_ends_at'),
  },
  (table) => [
    // Finds the trials that are over and not tidied up.
    index('users_running_trials')
      .on(table.premiumTrialEndsAt)
      .where(sql`${table.tier} = 'premium' and ${table.premiumTrialEndsAt} is not null`),
  ],
)

function ownerId() {
  return text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
}

/** Better Auth's sessions, one row for each signed-in browser. */
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
 * Better Auth's accounts, one row for each way to sign in (a password, a provider). A user has each
 * way once, and a person at a provider is linked with one user.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    userId: ownerId(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: moment('access_token_expires_at'),
    refreshTokenExpiresAt: moment('refresh_token_expires_at'),
    scope: text(),
    password: text(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('accounts_user_id_provider_id').on(table.userId, table.providerId),
    uniqueIndex('accounts_provider_id_account_id').on(table.providerId, table.accountId),
  ],
)

/** One-time values of Better Auth, and the sign-ins that wait for the issuer's answer. */
export const verifications = pgTable(
  'verifications',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: moment('expires_at').notNull(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (table) => [index('verifications_identifier').on(table.identifier)],
)

/**
 * Signups whose address nobody has verified yet (design §6). There is no account before the click
 * in the letter, and each signup waits by itself with what was typed in it. `browser` is its name
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
 * The links in letters that let their reader change an account, or make one of a pending signup,
 * each as the SHA-256 of its token. `stamp` identifies the address and the password of the account
 * or the signup: when either changes, the token is void.
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

/**
 * The letters that anybody can have sent to an address, for as long as they count against more of
 * them: see `auth/letter-limits.ts`.
 */
export const sentLetters = pgTable(
  'sent_letters',
  {
    id: uuid().primaryKey().defaultRandom(),
    email: text().notNull(),
    kind: text({ enum: limitedLetters }).notNull(),
    sentAt: moment('sent_at').notNull(),
  },
  (table) => [index('sent_letters_email_sent_at').on(table.email, table.sentAt)],
)

/** An upload that was started and is neither confirmed nor aborted. */
export const uploads = pgTable(
  'uploads',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    storage: text({ enum: storageNames }).notNull(),
    storageKey: text('storage_key').notNull().unique(),
    originalName: text('original_name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: bytes('size').notNull(),
    expirationDays: smallint('expiration_days').notNull(),
    /**
     * The size of the upload's parts in bytes. It is kept so that an upload survives a change of
     * the rule.
     */
    partSize: bytes('part_size').notNull().default(8_388_608),
    /**
     * The client's key. With it the client finds the upload again if the answer to the start was
     * lost.
     */
    idempotencyKey: text('idempotency_key'),
    createdAt: moment('created_at').notNull(),
    /** When bytes last arrived or a URL was last signed. Idle time is counted from this moment. */
    lastActivityAt: moment('last_activity_at').notNull(),
  },
  (table) => [
    // Queries for all uploads of an owner use this index too.
    uniqueIndex('uploads_owner_id_idempotency_key').on(table.ownerId, table.idempotencyKey),
    index('uploads_last_activity_at').on(table.lastActivityAt),
  ],
)

/**
 * A confirmed file and its link. `purgingAt` is set when the removal of the bytes begins,
 * `purgedAt` when they are gone, `deletedAt` when the owner deleted the file. The row of a deleted
 * file is removed after its bytes.
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
    /** The name in lower case, which a search looks through. */
    searchName: text('search_name')
      .notNull()
      .generatedAlwaysAs((): SQL => sql`lower(${files.originalName})`),
    mimeType: text('mime_type').notNull(),
    size: bytes('size').notNull(),
    shortCode: text('short_code').notNull().unique(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    maxLifetimeAt: moment('max_lifetime_at').notNull(),
    downloadCount: integer('download_count').notNull().default(0),
    uploadDuration: real('upload_duration'),
    sha256: text(),
    deletedAt: moment('deleted_at'),
    purgingAt: moment('purging_at'),
    purgedAt: moment('purged_at'),
  },
  (table) => [
    // Lists are read from it in order, backwards. A search reads names from it too, and only the
    // rows that it finds from the table. A column with `desc()` would not do: its order puts null
    // last, and that of a query puts null first.
    index('files_of_owner').on(
      table.ownerId,
      table.createdAt,
      table.id,
      table.searchName,
      table.deletedAt,
    ),
    // Answers how many files an owner has in which state, without reading the table.
    index('files_of_owner_by_end').on(
      table.ownerId,
      table.expiresAt,
      table.maxLifetimeAt,
      table.purgingAt,
      table.deletedAt,
    ),
    index('files_unpurged_expires_at').on(table.expiresAt).where(sql`${table.purgedAt} is null`),
  ],
)

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

/** The settings that the administrator can change. A missing key means the default. */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: text().notNull(),
  description: text().notNull().default(''),
  updatedAt: moment('updated_at').notNull(),
})

/** The counters of the rate limiter. `expire` is in milliseconds since 1970. */
export const rateLimits = pgTable('rate_limits', {
  key: text().primaryKey(),
  points: integer().notNull().default(0),
  expire: bytes('expire'),
})

/**
 * Who did what, when, from where. Triggers keep it append-only: a row can be neither removed nor
 * changed, except that its address can be emptied. `actor` and `subject` are ids of users without a
 * foreign key, so that a row outlives its users and then names nobody. `actor` is null for what the
 * server did by itself.
 */
export const auditLog = pgTable('audit_log', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  at: moment('at').notNull(),
  actor: text(),
  action: text({ enum: auditActions }).notNull(),
  subject: text(),
  ipAddress: text('ip_address'),
  details: jsonb().$type<Record<string, unknown>>().notNull(),
})
