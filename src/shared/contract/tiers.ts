import { z } from 'zod'
import { tiers as tierNames } from '../rules/tiers/tier.ts'
import { userSchema } from './account.ts'
import { endpoint } from './endpoint.ts'

const changedUser = z.object({ user: userSchema })

export const tiers = {
  startTrial: endpoint({
    method: 'POST',
    path: '/api/auth/start-trial',
    summary: 'Start the 30-day trial of Premium, once for every account.',
    access: 'user',
    response: changedUser,
    errors: ['UNAUTHORIZED', 'TRIAL_USED', 'ALREADY_PREMIUM'],
  }),
  togglePremium: endpoint({
    method: 'POST',
    path: '/api/auth/toggle-premium',
    summary:
      "Switch the caller's own tier: to the one of `tier`, else to the other one than now. Stands in for paying in this preview version. It ends a trial that runs.",
    access: 'user',
    // A misspelled field must not be ignored. Without `tier` the call switches to the other tier,
    // whatever the tier is now.
    body: z.strictObject({ tier: z.enum(tierNames).optional() }).optional(),
    response: changedUser,
    errors: ['UNAUTHORIZED'],
  }),
}
