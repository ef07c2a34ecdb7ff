import { z } from 'zod'
import { auditActions, longestAuditSearch } from '../rules/accounts/audit-action.ts'
import { longestAddress } from '../rules/accounts/mail-address.ts'
import { maxTestUploadSize } from '../rules/files/test-upload.ts'
import { tiers } from '../rules/tiers/tier.ts'
import { email, newPassword, personName, userSchema } from './account.ts'
import { endpoint } from './endpoint.ts'
import { fileName, fitsDatabase, isoDate, mimeType } from './fields.ts'

/** Any text is accepted as an id, since a wrong id only finds no user. */
const userId = z.string().max(64).refine(fitsDatabase, 'Must be text.')

/** The text that somebody searches a list for. */
const search = z
  .string()
  .trim()
  .max(longestAddress)
  .refine(fitsDatabase, 'Must be text.')
  .optional()

/** A moment that bounds a search. Postgres has no year 0. */
const moment = isoDate.refine(
  (text) => text >= '0001' && !Number.isNaN(Date.parse(text)),
  'Must be a date and time in UTC.',
)

/** Spec §7, admin stats. */
const stats = z.object({
  totalUsers: z.int().nonnegative(),
  premiumUsers: z.int().nonnegative(),
  totalFiles: z.int().nonnegative(),
  totalDownloads: z.int().nonnegative(),
})

/**
 * In the administrator's list, each user also has the number of files and of their downloads. A
 * file counts until its owner deletes it, as in the figures of the whole server.
 * `storedBytes` is the size of those files whose bytes are stored. `sessionCount` counts the
 * browsers in which the user is signed in now.
 */
const listedUser = userSchema.extend({
  fileCount: z.int().nonnegative(),
  storedBytes: z.int().nonnegative(),
  totalDownloads: z.int().nonnegative(),
  sessionCount: z.int().nonnegative(),
  createdAt: isoDate,
})
export type ListedUser = z.infer<typeof listedUser>

/**
 * An entry of the audit log. `actor` and `subject` are mail addresses of users, or ids of users who
 * no longer exist. `actor` is null for what the server did by itself.
 */
const auditLine = z.object({
  id: z.int(),
  at: isoDate,
  actor: z.string().nullable(),
  action: z.enum(auditActions),
  subject: z.string().nullable(),
  ipAddress: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
export type AuditLine = z.infer<typeof auditLine>

/** How many things a call has changed, or could not change. */
const figure = z.int().nonnegative()

/** What the administrator types for a new account. */
export const newUserBody = z.object({
  email,
  firstName: personName,
  lastName: personName,
  password: newPassword,
})

export const admin = {
  adminStats: endpoint({
    method: 'GET',
    path: '/api/admin/stats',
    summary:
      'How many users, premium users, files and downloads there are. A file counts until its owner deletes it, with its downloads, also once it is over or was taken down. The figures are counted anew for each call. Where counting takes 20 ms or more, they are kept for fifty times as long, a minute at most, but never past an act of the administrator.',
    access: 'admin',
    response: stats,
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  listUsers: endpoint({
    method: 'GET',
    path: '/api/admin/users',
    summary:
      'The 5 newest users; with `search` the 50 newest whose email or name holds this text, in capitals or not.',
    access: 'admin',
    query: z.object({ search }),
    response: z.array(listedUser),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  makeUser: endpoint({
    method: 'POST',
    path: '/api/admin/users',
    summary: 'Make an account with a verified address, also where nobody can sign up.',
    access: 'admin',
    body: newUserBody,
    response: userSchema,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'EMAIL_TAKEN', 'PASSWORDS_BUSY'],
  }),
  deleteUser: endpoint({
    method: 'DELETE',
    path: '/api/admin/users/{id}',
    summary:
      "Delete a user and all that is theirs: files, open uploads, sessions, ways to sign in, settings, waiting emails. The body may hold the user's address as `email`, typed in again: with another address nothing is deleted. Links end with this call. The bytes are removed before it answers, except where storage refuses or there are more than a thousand files: those go within minutes. `deletedFiles` counts the files of the user's list.",
    access: 'admin',
    params: z.object({ id: userId }),
    // The Admin Center always sends the address. A program may leave it out, because it has looked
    // up the id; decision 039 says why.
    // `deleteUser` compares the address after it has looked at the user. So an unknown user gives
    // 404 and the administrator gives 409, whatever address the body contains.
    body: z
      .strictObject({ email: z.string().trim().toLowerCase().max(longestAddress).optional() })
      .optional(),
    response: z.object({ message: z.string(), deletedFiles: figure }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'USER_NOT_FOUND', 'ADMIN_STAYS'],
  }),
  cleanUpExpired: endpoint({
    method: 'POST',
    path: '/api/admin/cleanup-expired',
    summary:
      "Clear every user's expired history: delete all files whose links have ended and cannot be renewed, with their lines in the lists. What a Premium user can still renew stays. The bytes of the first thousand files are removed before it answers, the others within minutes.",
    access: 'admin',
    response: z.object({ deletedCount: figure }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  sanitizeFileNames: endpoint({
    method: 'POST',
    path: '/api/admin/sanitize-filenames',
    summary:
      'Clean the names of all files by the rule that uploads obey. `updated` counts the files that got another name, `errors` those whose name could not be changed.',
    access: 'admin',
    response: z.object({ updated: figure, errors: figure }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  expireFiles: endpoint({
    method: 'POST',
    path: '/api/admin/expire-files',
    summary:
      'Remove the bytes of files that are over now, as the job does every minute. Their lines stay in the lists. `expiredCount` counts the files whose bytes were removed, `failed` those that storage did not remove now; the server tries them again. 503 if storage removed none of them.',
    access: 'admin',
    response: z.object({ expiredCount: figure, failed: figure }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  expireTrials: endpoint({
    method: 'POST',
    path: '/api/admin/expire-trials',
    summary: 'Set users whose trials have ended to free now, as the job does every ten minutes.',
    access: 'admin',
    response: z.object({ expiredCount: figure }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  testStorage: endpoint({
    method: 'GET',
    path: '/api/admin/test-s3-connection',
    summary:
      'Write, read, list and remove in the store for new files: a bucket or the disk. `message` tells what was tried and where, and what to do when it failed. Answers within 20 seconds.',
    access: 'admin',
    response: z.object({ connected: z.boolean(), message: z.string() }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  testStorageUpload: endpoint({
    method: 'POST',
    path: '/api/admin/test-s3-upload',
    summary:
      'Get a presigned URL for a test: PUT `fileSize` bytes to it with `Content-Type: {fileType}`, within ten minutes. They become no file, and are removed within the hour.',
    access: 'admin',
    body: z.object({
      fileName,
      fileSize: z.int().min(1).max(maxTestUploadSize),
      fileType: mimeType,
    }),
    response: z.object({ uploadUrl: z.string(), testKey: z.string() }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'STORAGE_FULL'],
  }),
  testMail: endpoint({
    method: 'POST',
    path: '/api/test-email',
    summary:
      'Send the administrator an email now. `success` tells whether the mail server took it, and `message` what it said.',
    access: 'admin',
    response: z.object({ success: z.boolean(), message: z.string() }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  toggleUserTier: endpoint({
    method: 'POST',
    path: '/api/admin/toggle-user-tier/{id}',
    summary:
      "Switch a user's tier: to the one of `tier`, else to the other one than now. It ends a trial that runs.",
    access: 'admin',
    params: z.object({ id: userId }),
    // A misspelled field must not be ignored: without `tier` the call switches to the other tier.
    body: z.strictObject({ tier: z.enum(tiers).optional() }).optional(),
    response: z.object({ user: userSchema }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'USER_NOT_FOUND'],
  }),
  listAudit: endpoint({
    method: 'GET',
    path: '/api/admin/audit',
    summary:
      'The audit log, newest first: a page of at most `limit`. The header `x-next-cursor` leads to the next page; the last page has none. `search` finds what a user did or underwent, by the whole email or id; what came from an IP address; and what concerns a link, by its address or short code. `user` does so by an email alone; use one of the two. `from` and `to` bound the time: an entry at `from` is listed, one at `to` is not. `action` finds one kind of act.',
    access: 'admin',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
      user: z
        .string()
        .trim()
        .toLowerCase()
        .max(longestAddress)
        .refine(fitsDatabase, 'Must be text.')
        .optional(),
      search: z
        .string()
        .trim()
        .max(longestAuditSearch)
        .refine(fitsDatabase, 'Must be text.')
        .optional(),
      from: moment.optional(),
      to: moment.optional(),
      action: z.enum(auditActions).optional(),
    }),
    response: z.array(auditLine),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  listMaintenance: endpoint({
    method: 'GET',
    path: '/api/admin/maintenance',
    summary:
      'What each act of maintenance did last: the newest entry of each in the audit log, newest first. An act that was never done has none.',
    access: 'admin',
    response: z.array(auditLine),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
}
