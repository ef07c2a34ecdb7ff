import { z } from 'zod'
import { auditActions } from '../rules/audit-action.ts'
import { tiers } from '../rules/tier.ts'
import { email, newPassword, personName, userSchema } from './account.ts'
import { endpoint } from './endpoint.ts'
import { fitsDatabase, isoDate } from './fields.ts'

/** Any text is accepted as an id, since a wrong id only finds no user. */
const userId = z.string().max(64).refine(fitsDatabase, 'Must be text.')

/** The text that somebody searches a list for. */
const search = z.string().trim().max(254).refine(fitsDatabase, 'Must be text.').optional()

/** Spec §3, admin stats. */
const stats = z.object({
  totalUsers: z.int().nonnegative(),
  premiumUsers: z.int().nonnegative(),
  totalFiles: z.int().nonnegative(),
  totalDownloads: z.int().nonnegative(),
})

/**
 * Spec §3: in the administrator's list, each user also has the number of files and of their
 * downloads.
 */
const listedUser = userSchema.extend({
  fileCount: z.int().nonnegative(),
  totalDownloads: z.int().nonnegative(),
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
    summary: 'How many users, premium users, files and downloads there are.',
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
  testMail: endpoint({
    method: 'POST',
    path: '/api/test-email',
    summary:
      'Send the administrator a mail now. `success` tells whether the mail server took it, and `message` what it said.',
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
      'The audit log, newest first: a page of at most `limit`. The header `x-next-cursor` leads to the next page; the last page has none. `user` finds what a user with this address did or underwent, `action` one kind of act.',
    access: 'admin',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
      user: z
        .string()
        .trim()
        .toLowerCase()
        .max(254)
        .refine(fitsDatabase, 'Must be text.')
        .optional(),
      action: z.enum(auditActions).optional(),
    }),
    response: z.array(auditLine),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
}
