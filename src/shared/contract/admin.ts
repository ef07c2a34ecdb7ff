import { z } from 'zod'
import { auditActions, maxAuditSearchLength } from '../rules/accounts/audit-action.ts'
import { maxEmailLength } from '../rules/accounts/email-limits.ts'
import { capKeys } from '../rules/files/storage-cap.ts'
import { isStorableText } from '../rules/format/text.ts'
import { limitKeys } from '../rules/tiers/limit-settings.ts'
import { email, newPassword, personName, userSchema } from './account.ts'
import { endpoint } from './endpoint.ts'
import { fileName, isoDate, mimeType } from './fields.ts'
import { tierBody } from './own-account.ts'

/** Any text is accepted, not only UUIDs, because an unknown id simply finds no user. */
const userId = z.string().max(64).refine(isStorableText, 'Must be text.')

const search = z
  .string()
  .trim()
  .max(maxEmailLength)
  .refine(isStorableText, 'Must be text.')
  .optional()

/** Rejects the year 0, which Postgres doesn't have. */
const utcDateTime = z.iso
  .datetime()
  .refine(
    (text) => text >= '0001' && !Number.isNaN(Date.parse(text)),
    'Must be a date and time in UTC.',
  )

/** How many of the newest users are listed before the administrator searches. */
export const newestUserCount = 5

/** Maximum number of users in a search result. */
export const maxUserResults = 50

/** Maximum size of the administrator's test upload, in bytes. */
export const maxTestUploadSize = 10 * 1024 * 1024

/** Totals in the Admin Center (spec §7). */
const stats = z.object({
  totalUsers: z.int().nonnegative(),
  premiumUsers: z.int().nonnegative(),
  totalFiles: z.int().nonnegative(),
  totalDownloads: z.int().nonnegative(),
})

const listedUser = userSchema.extend({
  fileCount: z.int().nonnegative().describe('Files that the owner has not deleted.'),
  storedBytes: z.int().nonnegative(),
  totalDownloads: z.int().nonnegative(),
  sessionCount: z.int().nonnegative(),
  createdAt: isoDate,
})
export type ListedUser = z.infer<typeof listedUser>

const auditEntry = z.object({
  id: z.int(),
  at: isoDate,
  actor: z.string().nullable().describe('The email or id of the user; null for the server.'),
  action: z.enum(auditActions),
  subject: z.string().nullable().describe('The affected user, or null.'),
  ipAddress: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
export type AuditEntry = z.infer<typeof auditEntry>

const nonNegativeInt = z.int().nonnegative()

export const newUserBody = z.object({
  email,
  firstName: personName,
  lastName: personName,
  password: newPassword,
})

export const admin = {
  adminStats: endpoint('GET', '/api/admin/stats', {
    summary: 'Count users, files and downloads. Up to a minute old',
    access: 'admin',
    response: stats,
  }),
  listUsers: endpoint('GET', '/api/admin/users', {
    summary: 'List the 5 newest users, or the 50 newest whose email or name contains `search`',
    access: 'admin',
    query: z.object({ search }),
    response: z.array(listedUser),
  }),
  makeUser: endpoint('POST', '/api/admin/users', {
    summary: 'Create an account with a verified email, even if signup is closed',
    access: 'admin',
    body: newUserBody,
    response: userSchema,
    errors: ['EMAIL_TAKEN', 'PASSWORDS_BUSY'],
  }),
  deleteUser: endpoint('DELETE', '/api/admin/users/{id}', {
    summary:
      'Delete a user with all files. If `email` is given, it must be the address of the user',
    access: 'admin',
    params: z.object({ id: userId }),
    // A safeguard against deleting the wrong account. It is optional because API clients usually
    // looked up the id by email address in the first place.
    body: z
      .strictObject({ email: z.string().trim().toLowerCase().max(maxEmailLength).optional() })
      .optional(),
    response: z.object({ message: z.string(), deletedFiles: nonNegativeInt }),
    errors: ['USER_NOT_FOUND', 'ADMIN_STAYS'],
  }),
  cleanUpExpired: endpoint('POST', '/api/admin/cleanup-expired', {
    summary: "Clear every user's history. Files that can still be renewed stay",
    access: 'admin',
    response: z.object({ deletedCount: nonNegativeInt }),
  }),
  sanitizeFileNames: endpoint('POST', '/api/admin/sanitize-filenames', {
    summary: 'Clean the names of all files',
    access: 'admin',
    response: z.object({ updated: nonNegativeInt, errors: nonNegativeInt }),
  }),
  expireFiles: endpoint('POST', '/api/admin/expire-files', {
    summary: 'Delete the bytes of files whose links have ended, as the job does every minute',
    access: 'admin',
    response: z.object({ expiredCount: nonNegativeInt, failed: nonNegativeInt }),
  }),
  expireTrials: endpoint('POST', '/api/admin/expire-trials', {
    summary: 'End expired trials, as the job does every ten minutes',
    access: 'admin',
    response: z.object({ expiredCount: nonNegativeInt }),
  }),
  testStorage: endpoint('GET', '/api/admin/test-s3-connection', {
    summary: 'Test writing, reading, listing and deleting in the store for new files',
    access: 'admin',
    response: z.object({ connected: z.boolean(), message: z.string() }),
  }),
  testStorageUpload: endpoint('POST', '/api/admin/test-s3-upload', {
    summary: 'Get a presigned URL for a test upload, which is deleted within an hour',
    access: 'admin',
    body: z.object({
      fileName,
      fileSize: z.int().min(1).max(maxTestUploadSize),
      fileType: mimeType,
    }),
    response: z.object({ uploadUrl: z.string(), testKey: z.string() }),
    errors: ['STORAGE_FULL'],
  }),
  testMail: endpoint('POST', '/api/test-email', {
    summary: 'Send a test email to the administrator',
    access: 'admin',
    response: z.object({ success: z.boolean(), message: z.string() }),
  }),
  toggleUserTier: endpoint('POST', '/api/admin/toggle-user-tier/{id}', {
    summary: "Switch a user's tier. Ends a running trial",
    access: 'admin',
    params: z.object({ id: userId }),
    body: tierBody,
    response: z.object({ user: userSchema }),
    errors: ['USER_NOT_FOUND'],
  }),
  listAudit: endpoint('GET', '/api/admin/audit', {
    summary: 'List the audit log, newest first',
    access: 'admin',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
      search: z
        .string()
        .trim()
        .max(maxAuditSearchLength)
        .refine(isStorableText, 'Must be text.')
        .optional()
        .describe('An email, user id, IP address, link or short code.'),
      from: utcDateTime.optional().describe('Inclusive.'),
      to: utcDateTime.optional().describe('Exclusive.'),
      action: z.enum(auditActions).optional(),
    }),
    response: z.array(auditEntry),
  }),
  listMaintenance: endpoint('GET', '/api/admin/maintenance', {
    summary: 'List the last audit log entry of each maintenance action',
    access: 'admin',
    response: z.array(auditEntry),
  }),
  adminLimits: endpoint('GET', '/api/admin/limits', {
    summary: 'Get limits, caps and disk usage, in bytes',
    access: 'admin',
    response: z.object({
      values: z.record(z.enum([...limitKeys, ...capKeys]), z.string()),
      stored: z.object({
        files: nonNegativeInt,
        uploads: nonNegativeInt.describe('What open uploads announced.'),
      }),
      disk: z
        .object({
          free: nonNegativeInt,
          size: nonNegativeInt,
          leastFree: nonNegativeInt.describe('Uploads are refused below this.'),
          minFree: nonNegativeInt.describe('`MIN_FREE_SPACE`.'),
          use: z.object({
            files: nonNegativeInt,
            uploads: nonNegativeInt,
            database: nonNegativeInt,
            reserve: nonNegativeInt,
            other: nonNegativeInt,
          }),
        })
        .nullable(),
    }),
  }),
}
