import { limitsText } from '../../../shared/rules/tiers/limit-text.ts'
import type { TierLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { greeting, type LetterContent } from '../letter.ts'

/** Writes the letter that tells a user that a Premium trial has ended. */
export function trialEndedLetter(facts: {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  /** The end of the trial as text for people. */
  endsAt: string
  /** The limits of the tier that the account has after the trial. */
  limits: TierLimits
  /** The URL of the page with the upgrade button. */
  dashboard: string
}): LetterContent {
  return {
    subject: 'Your Mayfly Premium trial has ended',
    preview: 'Your account is free again. Open links stay open until their own dates.',
    heading: 'Your trial has ended',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} your Premium trial ended on ${facts.endsAt}. Your account is free again: ${limitsText(facts.limits)}.`,
      },
      {
        kind: 'paragraph',
        text: 'Links that were open stay open until their own dates. Files whose link was over are deleted, because only Premium can renew them.',
      },
      {
        kind: 'button',
        label: 'Upgrade Now',
        href: facts.dashboard,
        note: 'Choose Upgrade Now on your dashboard. This is a preview version: nothing is charged.',
      },
    ],
  }
}
