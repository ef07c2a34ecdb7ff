import { greeting, type LetterContent } from '../letter.ts'
import { browserText } from './verify-email.ts'

/** Writes the letter to an account's owner when somebody signed up with the owner's address. */
export function addressTakenLetter(facts: {
  name: string
  email: string
  /** When the signup was made, as text for people. */
  signedUpAt: string
  /** The browser's name; null where it is unknown. */
  browser: string | null
  loginPage: string
}): LetterContent {
  return {
    subject: 'Somebody signed up with your address',
    preview: 'You have an account already. Nothing was changed.',
    heading: 'Somebody signed up with your address',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} somebody signed up with ${facts.email} (${facts.signedUpAt}, ${browserText(facts.browser)}). You have an account with this address already, so no other was made, and nothing was changed.`,
      },
      {
        kind: 'button',
        label: 'Go to Login',
        href: facts.loginPage,
        note: "If you do not know your password any more, choose 'Forgot password?' there.",
      },
      {
        kind: 'paragraph',
        strong: 'It was not you?',
        text: 'Do nothing. Nobody got into your account.',
      },
    ],
  }
}
