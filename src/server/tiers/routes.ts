import type { TierRequest } from '../../shared/rules/tiers/tier-change.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Handlers } from '../http/mount.ts'
import { counter } from '../http/rate-limit.ts'
import type { SessionUser } from '../http/session.ts'
import { publicUser } from '../http/session.ts'
import { setTier } from './set-tier.ts'

/** The endpoints that let users change their own tier (spec §4, 'Tier'). */
export function tierRoutes(deps: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'rateLimits'>) {
  const setOwnTier = async (user: SessionUser, request: TierRequest, ipAddress: string) => {
    // Changes are rate limited because the audit log keeps every one of them forever.
    await deps.rateLimits.spend([counter('tierChangesByUser', user.id)])
    const changedUser = await setTier(deps, { userId: user.id, request, actor: user.id, ipAddress })
    // The user was deleted after the session was loaded.
    if (!changedUser) throw new AppError('UNAUTHORIZED')
    return { user: publicUser(changedUser) }
  }
  return {
    startTrial: ({ user, clientAddress }) => setOwnTier(user, { reason: 'trial' }, clientAddress),

    togglePremium({ user, body, clientAddress }) {
      const reason = user.role === 'admin' ? 'administrator' : 'preview'
      return setOwnTier(user, { reason, to: body?.tier }, clientAddress)
    },
  } satisfies Partial<Handlers>
}
