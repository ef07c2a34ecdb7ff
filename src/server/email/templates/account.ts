import type { OwnPasswordChange } from '../../../shared/rules/accounts/audit-action.ts'
import { tokenLifetimeMs } from '../../../shared/rules/accounts/session-life.ts'
import { durationText } from '../../../shared/rules/format/numbers.ts'
import { type EmailContent, greeting } from '../email.ts'

interface Owner {
  /** null if the address is unverified, because a stranger may have chosen the name. */
  name: string | null
  email: string
}

interface Signup {
  email: string
  /** Formatted time of the signup. */
  signedUpAt: string
  /** The browser's display name; null if unknown. */
  browser: string | null
}

interface Help {
  loginPage: string
  supportEmail: string
}

const notYou = "Wasn't it you?"
const verifyTitle = 'Verify your email address'
const verifyLifetime = `The link works for ${durationText(tokenLifetimeMs['verify-email'])}.`

/**
 * The email whose link turns a signup into an account. An address may have several pending signups
 * with different passwords, so the email includes the time and browser of this one. It contains
 * neither the name nor the password, because a stranger may have typed them.
 */
export function verifySignupEmail(facts: Signup & { link: string }): EmailContent {
  return {
    subject: 'Verify your email address for Mayfly',
    preview: verifyLifetime,
    heading: verifyTitle,
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(null)} somebody signed up with ${facts.email} (${signupText(facts)}). If that was you, verify your address, and your account is ready.`,
      },
      { kind: 'button', label: 'Verify email address', href: facts.link, note: verifyLifetime },
      {
        kind: 'paragraph',
        strong: notYou,
        text: 'Do nothing, and no account is made. If you signed up at another time or with another browser, use the email of that signup: this one has a password that somebody else chose.',
      },
    ],
  }
}

/** The email that verifies the address of an existing account. */
export function verifyAccountEmail(facts: {
  email: string
  link: string
  /** Formatted time of the request. */
  askedAt: string
  loginPage: string
}): EmailContent {
  return {
    subject: 'Verify your email address for Mayfly',
    preview: verifyLifetime,
    heading: verifyTitle,
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(null)} somebody asked to verify ${facts.email} for the account with this address (${facts.askedAt}).`,
      },
      { kind: 'button', label: 'Verify email address', href: facts.link, note: verifyLifetime },
      {
        kind: 'paragraph',
        strong: "Isn't it your account?",
        text: `Do not open the link: whoever made the account would keep its password. Do nothing, or choose 'Forgot password?' at ${facts.loginPage} to take the account over.`,
      },
    ],
  }
}

/** The email to an account's owner after a signup with the same address. */
export function addressTakenEmail(
  facts: Signup & { name: string; loginPage: string },
): EmailContent {
  return {
    subject: 'Somebody signed up with your address',
    preview: 'You already have an account. Nothing was changed.',
    heading: 'Somebody signed up with your address',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} somebody signed up with ${facts.email} (${signupText(facts)}). You already have an account with this address, so no other was made, and nothing was changed.`,
      },
      {
        kind: 'button',
        label: 'Go to Login',
        href: facts.loginPage,
        note: "If you forgot your password, choose 'Forgot password?' there.",
      },
      { kind: 'paragraph', strong: notYou, text: 'Do nothing. Nobody got into your account.' },
    ],
  }
}

function signupText({ signedUpAt, browser }: Signup): string {
  return `${signedUpAt}, from ${browser ?? 'an unknown browser'}`
}

/** The email whose link sets a new password. */
export function resetPasswordEmail(
  facts: Owner & {
    /** Anyone with this link can set the password. */
    link: string
    /** Formatted time of the request. */
    askedAt: string
    /** False for an account with only Google sign-in. */
    hasPassword: boolean
  },
): EmailContent {
  const lifetime = 'The link works once, for one hour.'
  return {
    subject: 'Reset your Mayfly password',
    preview: lifetime,
    heading: 'Reset your password',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} somebody asked for a new password for ${facts.email} (${facts.askedAt}).`,
      },
      { kind: 'button', label: 'Set a new password', href: facts.link, note: lifetime },
      {
        kind: 'paragraph',
        strong: notYou,
        text: `Do nothing. ${facts.hasPassword ? 'Your password stays the same.' : 'Nothing changes.'}`,
      },
    ],
  }
}

/** The consequences of each way to change a password. */
const passwordChanges: Readonly<Record<OwnPasswordChange, { sessions: string; danger: string }>> = {
  email: {
    sessions: 'Every browser has to sign in again.',
    danger: 'Somebody can read your email. Secure it first, then choose',
  },
  session: {
    sessions: 'Every other browser has to sign in again.',
    danger: 'Somebody knew your old password. To take your account back, choose',
  },
}

/** The notification that an account's password was changed. */
export function passwordChangedEmail(
  facts: Owner &
    Help & {
      /** Formatted time of the change. */
      changedAt: string
      changedBy: OwnPasswordChange
      /** True if Google sign-in was removed along with the old password. */
      removedGoogle: boolean
    },
): EmailContent {
  const { sessions, danger } = passwordChanges[facts.changedBy]
  const google = facts.removedGoogle
    ? ' Google was removed from the account. You can add it again on the account page.'
    : ''
  return {
    subject: 'Your Mayfly password was changed',
    preview: "If it wasn't you, take your account back now.",
    heading: 'Your password was changed',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} the password of ${facts.email} was changed on ${facts.changedAt}. ${sessions}${google}`,
      },
      {
        kind: 'paragraph',
        strong: notYou,
        text: `${danger} 'Forgot password?' at ${facts.loginPage}, and write to ${facts.supportEmail}.`,
      },
    ],
  }
}

/** The notification that a Google account was linked to an account. */
export function googleLinkedEmail(
  facts: Owner &
    Help & {
      /** Formatted time of the linking. */
      linkedAt: string
      /** True if older sign-in methods were removed because the address was unverified. */
      tookOver: boolean
    },
): EmailContent {
  const { email, loginPage, supportEmail } = facts
  const takenOver = `Somebody had signed up with ${email} before, without verifying the address. That password no longer works, and every browser has to sign in again. The files of that account are still there: delete what is not yours. You can set a new password with 'Forgot password?'.`
  return {
    subject: 'Google was linked to your Mayfly account',
    preview: "If it wasn't you, take your account back now.",
    heading: 'Google was linked',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} on ${facts.linkedAt} a Google account was linked to the account of ${email}. It can sign in from now on.`,
      },
      ...(facts.tookOver ? [{ kind: 'paragraph' as const, text: takenOver }] : []),
      {
        kind: 'paragraph',
        strong: notYou,
        text: `Secure your email and your Google account first. Then choose 'Forgot password?' at ${loginPage}, sign in with the new password, remove Google on the account page, and write to ${supportEmail}.`,
      },
    ],
  }
}
