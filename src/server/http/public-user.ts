import type { User } from '../../shared/contract/account.ts'
import type { SessionUser } from './session.ts'

/** Returns those fields of a user that the browser may see (spec §3, User). */
export function publicUser(user: SessionUser): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    firstName: user.firstName,
    lastName: user.lastName,
    emailVerified: user.emailVerified,
    tier: user.tier,
    isAdmin: user.role === 'admin',
    premiumTrialStartedAt: user.premiumTrialStartedAt?.toISOString() ?? null,
    premiumTrialEndsAt: user.premiumTrialEndsAt?.toISOString() ?? null,
    profileImageUrl: user.image,
  }
}
