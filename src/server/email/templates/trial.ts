import { limitsText, type TierLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { type EmailContent, greeting } from '../email.ts'

interface Trial {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  /** The end of the trial, as text for people. */
  endsAt: string
  /** The limits of the tier that the account has after the trial. */
  limits: TierLimits
  /** The URL of the page with the upgrade button. */
  dashboard: string
}

/**
 * The email before a Premium trial ends.
 * @param left how much time is left: '3 days'.
 */
export function trialEndsEmail(trial: Trial, left: string): EmailContent {
  return {
    subject: `Your Mayfly Premium trial ends in ${left}`,
    preview: `Premium ends on ${trial.endsAt}, unless you keep it.`,
    heading: `Your trial ends in ${left}`,
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(trial.name)} your Premium trial ends on ${trial.endsAt}. Then your account is free again: ${limitsText(trial.limits)}.`,
      },
      {
        kind: 'paragraph',
        text: 'Links that are active then stay active until they expire. Files with expired links are deleted, because only Premium can renew them.',
      },
      button('Keep Premium', trial),
    ],
  }
}

/** The email after a Premium trial has ended. */
export function trialEndedEmail(trial: Trial): EmailContent {
  return {
    subject: 'Your Mayfly Premium trial has ended',
    preview: 'Your account is free again. Active links stay active until they expire.',
    heading: 'Your trial has ended',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(trial.name)} your Premium trial ended on ${trial.endsAt}. Your account is free again: ${limitsText(trial.limits)}.`,
      },
      {
        kind: 'paragraph',
        text: 'Active links stay active until they expire. Files with expired links are deleted, because only Premium can renew them.',
      },
      button('Upgrade Now', trial),
    ],
  }
}

function button(label: string, { dashboard }: Trial) {
  const note = `Choose ${label} on your dashboard. This is a preview version: nothing is charged.`
  return { kind: 'button' as const, label, href: dashboard, note }
}
