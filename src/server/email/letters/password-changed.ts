import { greeting, type LetterContent } from '../letter.ts'

/** Writes the letter that tells an account's owner that the password was changed. */
export function passwordChangedLetter(facts: {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  email: string
  /** The moment as text for people. */
  changedAt: string
  /** The page where an owner who did not change the password takes the account back. */
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
        text: `${greeting(facts.name)} the account of ${facts.email} has a new password since ${facts.changedAt}. Every browser that was signed in has to sign in again.`,
      },
      {
        kind: 'paragraph',
        strong: 'It was not you?',
        text: `Somebody can read your mail. Secure it first, then choose 'Forgot password?' at ${facts.loginPage}, and write to ${facts.supportEmail}.`,
      },
    ],
  }
}
