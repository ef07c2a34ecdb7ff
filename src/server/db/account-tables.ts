import { type SQL, sql } from 'drizzle-orm'
import { boolean, check, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { keyScopes } from '../../shared/rules/accounts/api-key.ts'
import { emailKinds } from '../../shared/rules/accounts/email-limits.ts'
import { defaultRole, roles } from '../../shared/rules/accounts/role.ts'
import { tokenPurposes } from '../../shared/rules/accounts/session-lifetime.ts'
import { defaultTier, tiers } from '../../shared/rules/tiers/tier.ts'
import { timestamptz } from './columns.ts'

/** User accounts. `email` is in lowercase. */
export const users = pgTable(
  'users',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull().unique(),
    emailVerified: boolean('email_verified').notNull().default(false),
    image: text(),
    createdAt: timestamptz('created_at').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
    firstName: text('first_name').notNull().default(''),
    lastName: text('last_name').notNull().default(''),
    tier: text({ enum: tiers }).notNull().default(defaultTier),
    role: text({ enum: roles }).notNull().default(defaultRole),
    premiumTrialStartedAt: timestamptz('premium_trial_started_at'),
    premiumTrialEndsAt: timestamptz('premium_trial_ends_at'),
    /** The email address and name in lowercase, for the administrator's search. */
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
    // Serves the administrator's search for users.
    index('users_search_text').using('gin', table.searchText.op('gin_trgm_ops')),
  ],
)

/** The column of the user that a row belongs to. The row is deleted with the user. */
export function ownerId(name = 'user_id') {
  return text(name)
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
}

/** One row per signed-in browser. `updatedAt` is the last recorded use. */
export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    token: text().notNull().unique(),
    userId: ownerId(),
    expiresAt: timestamptz('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: timestamptz('created_at').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
  },
  (table) => [index('sessions_user_id').on(table.userId)],
)

/**
 * Sign-in methods: a password, or a provider such as Google. A user has each method at most once,
 * and a provider's account belongs to at most one user.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    userId: ownerId(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    /** The password hash. Null if the user signs in through a provider. */
    password: text(),
    createdAt: timestamptz('created_at').notNull(),
    updatedAt: timestamptz('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('accounts_user_id_provider_id').on(table.userId, table.providerId),
    uniqueIndex('accounts_provider_id_account_id').on(table.providerId, table.accountId),
  ],
)

/** Pending sign-ins through Google or another OIDC issuer. */
export const verifications = pgTable('verifications', {
  identifier: text().primaryKey(),
  value: text().notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
})

/**
 * Signups with an unverified email address (design §6). Opening the link in the email creates the
 * account. An email address may have several pending signups. `browser` is the browser's display
 * name, null if unknown.
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
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (table) => [index('pending_signups_email_created_at').on(table.email, table.createdAt.desc())],
)

/**
 * Emailed links that change an account or confirm a signup, stored as the SHA-256 of their tokens.
 * `stamp` is a fingerprint of the account's or signup's email address and password. Changing either
 * invalidates the token.
 */
export const accountTokens = pgTable(
  'account_tokens',
  {
    hash: text().primaryKey(),
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    signupId: text('signup_id').references(() => pendingSignups.id, { onDelete: 'cascade' }),
    purpose: text({ enum: tokenPurposes }).notNull(),
    stamp: text().notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (table) => [
    index('account_tokens_user_id').on(table.userId),
    index('account_tokens_signup_id').on(table.signupId),
    check('account_tokens_one_subject', sql`num_nonnulls(${table.userId}, ${table.signupId}) = 1`),
  ],
)

/** API keys, stored as their SHA-256. Scopes that this version doesn't know have no effect. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: ownerId('owner_id'),
    name: text().notNull(),
    hash: text().notNull().unique(),
    /** The first 8 characters, by which the owner recognizes the key. */
    prefix: text().notNull(),
    scopes: text({ enum: keyScopes }).array().notNull(),
    /** Null if the key works until it is revoked. */
    expiresAt: timestamptz('expires_at'),
    createdAt: timestamptz('created_at').notNull(),
    lastUsedAt: timestamptz('last_used_at'),
  },
  (table) => [index('api_keys_owner_id').on(table.ownerId, table.createdAt)],
)

/** Emails that count toward the limits in `jobs/send-mail.ts`, identified by job id. */
export const sentEmails = pgTable(
  'sent_emails',
  {
    id: uuid().primaryKey(),
    email: text().notNull(),
    kind: text({ enum: emailKinds }).notNull(),
    sentAt: timestamptz('sent_at').notNull(),
  },
  (table) => [index('sent_emails_email_sent_at').on(table.email, table.sentAt)],
)
