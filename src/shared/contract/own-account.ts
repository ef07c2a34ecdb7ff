import { z } from 'zod'
import { currentPassword, newPassword, optionalName, personName, userSchema } from './account.ts'
import { endpoint } from './endpoint.ts'
import { done, fitsDatabase, isoDate } from './fields.ts'

/**
 * One signed-in browser, as its user sees it. The secret of the session never leaves the server.
 */
export const sessionSchema = z.object({
  id: z.string(),
  /** When its user signed in. */
  createdAt: isoDate,
  /** When it was last used, accurate to ten minutes. */
  lastSeenAt: isoDate,
  /** The browser's own `User-Agent` text; null where it sends none. */
  userAgent: z.string().nullable(),
  /** The browser's name for people: 'Firefox on Linux'. Null for an unknown browser. */
  browser: z.string().nullable(),
  /**
   * The IP address from which the session was last used. Null for an old session that began before
   * the server stored addresses.
   */
  ipAddress: z.string().nullable(),
  /** True for the session that makes this call. */
  isCurrent: z.boolean(),
})
export type SessionView = z.infer<typeof sessionSchema>

/**
 * The calls of the account page: name, password, sessions, and how many files and links the user
 * has.
 */
export const ownAccount = {
  updateUser: endpoint({
    method: 'PATCH',
    path: '/api/auth/user',
    summary: "Change the caller's name. What is left out stays; the last name may be empty.",
    access: 'user',
    body: z.object({
      firstName: personName.optional(),
      lastName: optionalName.optional(),
    }),
    response: userSchema,
    errors: ['UNAUTHORIZED'],
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/api/auth/change-password',
    summary:
      "Change the caller's password; ends all other sessions and replaces the caller's session cookie.",
    access: 'user',
    body: z.object({ currentPassword, newPassword }),
    response: done,
    errors: ['UNAUTHORIZED', 'WRONG_PASSWORD', 'NO_PASSWORD', 'PASSWORDS_BUSY'],
  }),
  holdings: endpoint({
    method: 'GET',
    path: '/api/auth/user/holdings',
    summary: 'What the account holds: files with bytes, their bytes, and links that open.',
    access: 'user',
    response: z.object({
      fileCount: z.int().nonnegative(),
      totalSize: z.int().nonnegative(),
      activeLinks: z.int().nonnegative(),
    }),
    errors: ['UNAUTHORIZED'],
  }),
  listSessions: endpoint({
    method: 'GET',
    path: '/api/auth/sessions',
    summary:
      "The caller's sessions: first the one of this call, then those used last, 100 at most.",
    access: 'user',
    response: z.array(sessionSchema),
    errors: ['UNAUTHORIZED'],
  }),
  endSession: endpoint({
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    summary: "End one of the caller's sessions. With the one of this call it is a logout.",
    access: 'user',
    params: z.object({ id: z.string().max(64).refine(fitsDatabase, 'Must be an id.') }),
    response: done,
    errors: ['UNAUTHORIZED', 'SESSION_NOT_FOUND'],
  }),
  endOtherSessions: endpoint({
    method: 'DELETE',
    path: '/api/auth/sessions',
    summary: "End all of the caller's sessions but the one of this call.",
    access: 'user',
    response: done,
    errors: ['UNAUTHORIZED'],
  }),
}
