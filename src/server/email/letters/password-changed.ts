import type { OwnPasswordChange } from '../../../shared/rules/accounts/audit-ways.ts'
import { greeting, type LetterContent } from '../letter.ts'

const whoStays: Record<OwnPasswordChange, string> = {
  letter: 'Every browser that was signed in has to sign in again.',
  session: 'The browser in which it was changed stays signed in, and no other.',
}

const googleIsGone =
  ' Google was removed from the account. You can add it again on the account page.'

/**
 * What an owner who did not change the password must know. The letter continues the sentence with
 * the name of a link.
 */
const whatHappened: Record<OwnPasswordChange, string> = {
  letter: 'Somebody can read your mail. Secure it first, then choose',
  session: 'Somebody knew your old password. Take the account back: choose',
}

/** Writes the letter that tells an account's owner that the password was changed. */
export function passwordChangedLetter(facts: {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  email: string
  /** When the password was changed, as text for people. */
  changedAt: string
  changedBy: OwnPasswordChange
  /** Whether Google was removed from the account with the old password. */
  removedGoogle: boolean
  /** The page where an owner who did not change the password can take the account back. */
  loginPage: string
  supportEmail: string
}): LetterContent {
  return {
    subject: 'Your Mayfly password was changed',
    preview: 'If this was not you, take your account back at once.',
    heading: 'Your password was changed',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} the account of ${facts.email} has a new password since ${facts.changedAt}. ${whoStays[facts.changedBy]}${facts.removedGoogle ? googleIsGone : ''}`,
      },
      {
        kind: 'paragraph',
        strong: 'It was not you?',
        text: `${whatHappened[facts.changedBy]} 'Forgot password?' at ${facts.loginPage}, and write to ${facts.supportEmail}.`,
      },
    ],
  }
}
