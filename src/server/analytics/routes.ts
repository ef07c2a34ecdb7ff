import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Handlers } from '../http/mount.ts'
import type { SessionUser } from '../http/session.ts'
import { readAnalytics, readFileStats, readLinkStats } from './read-analytics.ts'

/** The endpoints for statistics about a user's files and downloads (spec §2). */
export function analyticsRoutes(deps: Pick<Deps, 'clock' | 'db'>) {
  return {
    analytics({ user }) {
      requireAnalytics(user)
      return readAnalytics(deps, user)
    },

    fileStats({ params, user }) {
      requireAnalytics(user)
      return readFileStats(deps, user.id, params.id)
    },

    linkStats({ params, user }) {
      requireAnalytics(user)
      return readLinkStats(deps, user.id, params.code)
    },
  } satisfies Partial<Handlers>
}

function requireAnalytics({ tier }: SessionUser): void {
  if (tierTraits[tier].analytics) return
  throw new AppError('TIER_ANALYTICS', { message: tierErrorText(tier, 'TIER_ANALYTICS') })
}
