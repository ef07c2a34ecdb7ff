import { limitsText } from '../../../shared/rules/tiers/limit-text.ts'
import type { TierLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { greeting, type LetterContent } from '../letter.ts'

/** Writes the letter that warns a user before a Premium trial ends. */
export function trialEndsLetter(facts: {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  /** How much time is left, in words: '3 days'. */
  left: string
  /** The end of the trial as text for people. */
  endsAt: string
  /** The limits of the tier that the account will have after the trial. */
  limits: TierLimits
  /** The URL of the page with the button that keeps Premium. */
  dashboard: string
}): LetterContent {
  return {
    subject: `Your Mayfly Premium trial ends in ${facts.left}`,
    preview: `Premium ends on ${facts.endsAt}, unless you keep it.`,
    heading: `Your trial ends in ${facts.left}`,
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} your Premium trial ends on ${facts.endsAt}. Then your account is free again: ${limitsText(facts.limits)}.`,
      },
      {
        kind: 'paragraph',
        text: 'Links that are open then stay open until their own dates. Files whose link is over are deleted, because only Premium can renew them.',
      },
      {
        kind: 'button',
        label: 'Keep Premium',
        href: facts.dashboard,
        note: 'Choose Keep Premium on your dashboard. This is a preview version: nothing is charged.',
      },
    ],
  }
}
