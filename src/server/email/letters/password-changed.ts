import { greeting, type LetterContent } from '../letter.ts'

/** Tells an account's owner that its password is another one now. */
export function passwordChangedLetter(facts: {
  /** Null where nobody has shown to read this address: then the name may be somebody else's words. */
  name: string | null
  email: string
  /** In words. */
  changedAt: string
  /** The page where one who did not do this takes the account back. */
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
