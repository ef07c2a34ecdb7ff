import { z } from 'zod'
import { maxUserResults, newestUserCount } from '../../shared/contract/admin.ts'
import { maintenanceActions } from '../../shared/rules/accounts/audit-action.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { parseCursor, takePage, timestamp } from '../http/cursor.ts'
import type { Handlers } from '../http/mount.ts'
import { counter } from '../http/rate-limit.ts'
import { publicUser, toSessionUser } from '../http/session.ts'
import { setTier } from '../tiers/set-tier.ts'
import { listAudit, listNewestEntries } from './audit-queries.ts'
import { makeUser } from './make-user.ts'
import { testMail } from './test-mail.ts'
import { listUsers, readStats } from './user-queries.ts'

const cursorSchema = z.tuple([timestamp, z.int()])

/**
 * The Admin Center's endpoints for statistics, users, the test email and the audit log (spec §2).
 * The endpoint table restricts them to the administrator, and `mount` enforces that.
 */
export function adminRoutes(
  deps: Pick<
    Deps,
    | 'clock'
    | 'config'
    | 'db'
    | 'log'
    | 'mailer'
    | 'mailQueue'
    | 'passwords'
    | 'rateLimits'
    | 'secret'
    | 'settings'
  >,
) {
  const { clock, db } = deps
  return {
    adminStats: () => readStats(db, clock()),

    async listUsers({ query: { search } }) {
      const now = clock()
      const usersWithCounts = await listUsers(db, {
        search,
        limit: search ? maxUserResults : newestUserCount,
        now,
      })
      return usersWithCounts.map(({ user, ...counts }) => ({
        ...publicUser(toSessionUser(user, now)),
        ...counts,
        createdAt: user.createdAt,
      }))
    },

    async makeUser({ body, user, clientAddress }) {
      return publicUser(await makeUser(deps, body, { id: user.id, ipAddress: clientAddress }))
    },

    async testMail({ user, clientAddress }) {
      await deps.rateLimits.spend([counter('testMailsByUser', user.id)])
      return testMail(deps, user, { id: user.id, ipAddress: clientAddress })
    },

    async toggleUserTier({ params, body, user, clientAddress }) {
      const request = { reason: 'administrator', to: body?.tier } as const
      const change = { userId: params.id, request, actor: user.id, ipAddress: clientAddress }
      const changedUser = await setTier(deps, change)
      if (!changedUser) throw new AppError('USER_NOT_FOUND')
      return { user: publicUser(changedUser) }
    },

    async listAudit({ query, context }) {
      const { limit, cursor, from, to, ...filters } = query
      const lines = await listAudit(db, {
        ...filters,
        limit: limit + 1,
        after: parseCursor(cursorSchema, cursor),
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
      })
      return takePage(context, lines, { limit, cursorOf: ({ at, id }) => [at, id] })
    },

    listMaintenance: () => listNewestEntries(db, maintenanceActions),
  } satisfies Partial<Handlers>
}
