import { tokenLifetimeMs } from '../../../shared/rules/accounts/token-purpose.ts'
import { durationText } from '../../../shared/rules/format/duration-text.ts'
import { greeting, type LetterContent } from '../letter.ts'

const lifetimeText = `The link works for ${durationText(tokenLifetimeMs['verify-email'])}.`

/**
 * Writes the letter whose link turns a signup into an account. Several signups for one address may
 * wait, each with its own password. So the letter names the time and the browser of this signup. It
 * repeats neither name nor password of the signup, because a stranger may have typed them.
 */
export function verifyEmailLetter(facts: {
  email: string
  /** The page that makes the account when it is opened. */
  link: string
  /** When the signup was made, as text for people. */
  signedUpAt: string
  /** The browser's name; null where it is unknown. */
  browser: string | null
}): LetterContent {
  return {
    subject: 'Verify your email address for Mayfly',
    preview: lifetimeText,
    heading: 'Verify your email address',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(null)} somebody signed up with ${facts.email} (${facts.signedUpAt}, ${browserText(facts.browser)}). If that was you, open this link, and your account is ready.`,
      },
      {
        kind: 'button',
        label: 'Verify email address',
        href: facts.link,
        note: lifetimeText,
      },
      {
        kind: 'paragraph',
        strong: 'It was not you?',
        text: 'Do nothing, and there will be no account. If you signed up at another time or with another browser, take the email of that signup: the account of this one has a password that somebody else chose.',
      },
    ],
  }
}

/** Writes the letter that verifies the address of an account that exists already. */
export function verifyAccountLetter(facts: {
  email: string
  link: string
  /** When the letter was asked for, as text for people. */
  askedAt: string
  /** The page where the owner of the address can take the account over. */
  loginPage: string
}): LetterContent {
  return {
    subject: 'Verify your email address for Mayfly',
    preview: lifetimeText,
    heading: 'Verify your email address',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(null)} somebody asked to verify ${facts.email} for the account that has this address (${facts.askedAt}).`,
      },
      {
        kind: 'button',
        label: 'Verify email address',
        href: facts.link,
        note: lifetimeText,
      },
      {
        kind: 'paragraph',
        strong: 'The account is not yours?',
        text: `Do not open the link: whoever made the account would keep its password. Do nothing, or choose 'Forgot password?' at ${facts.loginPage} to take the account over.`,
      },
    ],
  }
}

/** Returns how a letter names a browser. */
export function browserText(browser: string | null): string {
  return browser === null ? 'from an unknown browser' : `from ${browser}`
}
