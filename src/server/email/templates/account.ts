import type { OwnPasswordChangeMethod } from '../../../shared/rules/accounts/audit-action.ts'
import { tokenLifetimeMs } from '../../../shared/rules/accounts/session-lifetime.ts'
import { durationText, formatCount } from '../../../shared/rules/format/numbers.ts'
import { createGreeting, type EmailContent } from '../email.ts'

interface Owner {
  /** Null if the address is unverified, because a stranger may have chosen the name. */
  name: string | null
  email: string
}

interface Signup {
  email: string
  /** When the signup took place, as formatted text. */
  signedUpAt: string
  /** The browser's display name, or null if it is unknown. */
  browser: string | null
}

interface HelpDetails {
  loginPage: string
  supportEmail: string
}

const notYouText = "Wasn't this you?"
const verifyTitle = 'Verify your email address'
const verifyLifetimeText = `The link works for ${durationText(tokenLifetimeMs['verify-email'])}.`

/**
 * The email whose link turns a signup into an account. An address may have several pending signups
 * with different passwords, so the email states the time and browser of its signup. It contains
 * neither the name nor the password, because a stranger may have typed them.
 */
export function verifySignupEmail(details: Signup & { link: string }): EmailContent {
  return {
    subject: 'Verify your email address for Mayfly',
    preview: verifyLifetimeText,
    heading: verifyTitle,
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(null)} somebody signed up with ${details.email} (${signupText(details)}). If that was you, verify your address, and your account is ready.`,
      },
      {
        kind: 'button',
        label: 'Verify email address',
        href: details.link,
        note: verifyLifetimeText,
      },
      {
        kind: 'paragraph',
        strong: notYouText,
        text: 'Do nothing, and no account is made. If you signed up at another time or with another browser, use the email of that signup: this one has a password that somebody else chose.',
      },
    ],
  }
}

/** The email that verifies an existing account's address. */
export function verifyAccountEmail(details: {
  email: string
  link: string
  /** When the email was requested, as formatted text. */
  askedAt: string
  loginPage: string
}): EmailContent {
  return {
    subject: 'Verify your email address for Mayfly',
    preview: verifyLifetimeText,
    heading: verifyTitle,
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(null)} somebody asked to verify ${details.email} for the account with this address (${details.askedAt}).`,
      },
      {
        kind: 'button',
        label: 'Verify email address',
        href: details.link,
        note: verifyLifetimeText,
      },
      {
        kind: 'paragraph',
        strong: 'Not your account?',
        text: `Do not open the link: whoever made the account would keep its password. Do nothing, or choose 'Forgot password?' at ${details.loginPage} to take the account over.`,
      },
    ],
  }
}

/** The email to an account's owner after a signup with the same address. */
export function addressTakenEmail(
  details: Signup & { name: string; loginPage: string },
): EmailContent {
  return {
    subject: 'Somebody signed up with your address',
    preview: 'You already have an account. Nothing was changed.',
    heading: 'Somebody signed up with your address',
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(details.name)} somebody signed up with ${details.email} (${signupText(details)}). You already have an account with this address, so no other was made, and nothing was changed.`,
      },
      {
        kind: 'button',
        label: 'Go to Login',
        href: details.loginPage,
        note: "If you forgot your password, choose 'Forgot password?' there.",
      },
      { kind: 'paragraph', strong: notYouText, text: 'Do nothing. Nobody got into your account.' },
    ],
  }
}

function signupText({ signedUpAt, browser }: Signup): string {
  return `${signedUpAt}, from ${browser ?? 'an unknown browser'}`
}

/** The email with the link for setting a new password. */
export function resetPasswordEmail(
  details: Owner & {
    /** Anyone with this link can set the password. */
    link: string
    /** When the email was requested, as formatted text. */
    askedAt: string
    /** False for an account that signs in only with Google. */
    hasPassword: boolean
  },
): EmailContent {
  const lifetimeText = 'The link works once, for one hour.'
  return {
    subject: 'Reset your Mayfly password',
    preview: lifetimeText,
    heading: 'Reset your password',
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(details.name)} somebody asked for a new password for ${details.email} (${details.askedAt}).`,
      },
      { kind: 'button', label: 'Set a new password', href: details.link, note: lifetimeText },
      {
        kind: 'paragraph',
        strong: notYouText,
        text: `Do nothing. ${details.hasPassword ? 'Your password stays the same.' : 'Nothing changes.'}`,
      },
    ],
  }
}

const passwordChangeTexts: Readonly<
  Record<OwnPasswordChangeMethod, { sessions: string; danger: string }>
> = {
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
  details: Owner &
    HelpDetails & {
      /** When the password was changed, as formatted text. */
      changedAt: string
      changedBy: OwnPasswordChangeMethod
      /** True if Google sign-in was removed along with the old password. */
      removedGoogle: boolean
    },
): EmailContent {
  const { sessions, danger } = passwordChangeTexts[details.changedBy]
  const googleText = details.removedGoogle
    ? ' Google was removed from the account. You can add it again on the account page.'
    : ''
  return {
    subject: 'Your Mayfly password was changed',
    preview: "If it wasn't you, take your account back now.",
    heading: 'Your password was changed',
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(details.name)} the password of ${details.email} was changed on ${details.changedAt}. ${sessions}${googleText}`,
      },
      {
        kind: 'paragraph',
        strong: notYouText,
        text: `${danger} 'Forgot password?' at ${details.loginPage}, and write to ${details.supportEmail}.`,
      },
    ],
  }
}

/** The notification that a Google account was linked to an account. */
export function googleLinkedEmail(
  details: Owner &
    HelpDetails & {
      /** When Google was linked, as formatted text. */
      linkedAt: string
      /** True if older sign-in methods were removed because the address was unverified. */
      tookOver: boolean
    },
): EmailContent {
  const { email, loginPage, supportEmail } = details
  const takeoverText = `Somebody had signed up with ${email} before, without verifying the address. That password no longer works, and every browser has to sign in again. The files of that account are still there: delete what is not yours. You can set a new password with 'Forgot password?'.`
  return {
    subject: 'Google was linked to your Mayfly account',
    preview: "If it wasn't you, take your account back now.",
    heading: 'Google was linked',
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(details.name)} on ${details.linkedAt} a Google account was linked to the account of ${email}. It can sign in from now on.`,
      },
      ...(details.tookOver ? [{ kind: 'paragraph' as const, text: takeoverText }] : []),
      {
        kind: 'paragraph',
        strong: notYouText,
        text: `Secure your email and your Google account first. Then choose 'Forgot password?' at ${loginPage}, sign in with the new password, remove Google on the account page, and write to ${supportEmail}.`,
      },
    ],
  }
}

/** The receipt for a deleted account. It is addressed without the name, which is deleted too. */
export function accountDeletedEmail(details: {
  email: string
  /** True if the owner deleted the account, false if the administrator did. */
  isByOwner: boolean
  /** When the account was deleted, as formatted text. */
  deletedAt: string
  deletedFiles: number
  supportEmail: string
  /** The URL of the list of what remains. */
  privacyPage: string
}): EmailContent {
  const { email, isByOwner, deletedAt, deletedFiles, supportEmail, privacyPage } = details
  const actionText = isByOwner
    ? `your account ${email} was deleted on the account page on ${deletedAt}.`
    : `the administrator deleted your account ${email} on ${deletedAt}.`
  return {
    subject: 'Your Mayfly account was deleted',
    preview: 'This email says what was deleted.',
    heading: 'Your account was deleted',
    blocks: [
      { kind: 'paragraph', text: `${createGreeting(null)} ${actionText} This cannot be undone.` },
      {
        kind: 'paragraph',
        strong: 'What was deleted:',
        text: `${formatCount(deletedFiles, 'file')}, all links and requests, API keys, branding, statistics, settings and queued emails. All sessions have ended.`,
      },
      {
        kind: 'note',
        text: 'Some records remain, without your files.',
        link: { label: 'What remains', href: privacyPage },
      },
      isByOwner
        ? {
            kind: 'paragraph',
            strong: notYouText,
            text: `Somebody was signed in as you and confirmed it. Secure your email and your other accounts, and write to ${supportEmail}.`,
          }
        : { kind: 'paragraph', strong: 'Questions?', text: `Write to ${supportEmail}.` },
    ],
  }
}
