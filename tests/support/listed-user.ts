import type { ListedUser } from '../../src/shared/contract/admin.ts'
import { defaultTier } from '../../src/shared/rules/tiers/tier.ts'

export const listedUser: ListedUser = {
  id: 'mira',
  email: 'mira@example.org',
  name: 'Mira Oake',
  firstName: 'Mira',
  lastName: 'Oake',
  emailVerified: true,
  tier: defaultTier,
  isAdmin: false,
  premiumTrialStartedAt: null,
  premiumTrialEndsAt: null,
  profileImageUrl: null,
  fileCount: 3,
  storedBytes: 3072,
  totalDownloads: 41,
  sessionCount: 2,
  createdAt: '2026-11-01T00:00:00.000Z',
}
