import { limitsText, type TierLimits } from '../../../shared/rules/tiers/tier-limits.ts'
import { createGreeting, type EmailContent } from '../email.ts'

interface Trial {
  /** Null if the address is unverified, because a stranger may have chosen the name. */
  name: string | null
  /** When the trial ends, as formatted text. */
  endsAt: string
  /** The tier limits that apply after the trial. */
  limits: TierLimits
  /** The URL of the page with the upgrade button. */
  dashboard: string
}

/**
 * The reminder that a Premium trial is about to end.
 * @param timeLeft the remaining time, such as '3 days'.
 */
export function trialEndsEmail(trial: Trial, timeLeft: string): EmailContent {
  return {
    subject: `Your Mayfly Premium trial ends in ${timeLeft}`,
    preview: `Premium ends on ${trial.endsAt}, unless you keep it.`,
    heading: `Your trial ends in ${timeLeft}`,
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(trial.name)} your Premium trial ends on ${trial.endsAt}. Then your account is free again: ${limitsText(trial.limits)}.`,
      },
      {
        kind: 'paragraph',
        text: 'Links that are active then stay active until they expire. Files with expired links are deleted, because only Premium can renew them.',
      },
      createButton('Keep Premium', trial),
    ],
  }
}

/** The notification that a Premium trial has ended. */
export function trialEndedEmail(trial: Trial): EmailContent {
  return {
    subject: 'Your Mayfly Premium trial has ended',
    preview: 'Your account is free again. Active links stay active until they expire.',
    heading: 'Your trial has ended',
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(trial.name)} your Premium trial ended on ${trial.endsAt}. Your account is free again: ${limitsText(trial.limits)}.`,
      },
      {
        kind: 'paragraph',
        text: 'Active links stay active until they expire. Files with expired links are deleted, because only Premium can renew them.',
      },
      createButton('Upgrade Now', trial),
    ],
  }
}

function createButton(label: string, { dashboard }: Trial) {
  const note = `Choose ${label} on your dashboard. This is a preview version: nothing is charged.`
  return { kind: 'button' as const, label, href: dashboard, note }
}
