import { greeting, type LetterContent } from '../letter.ts'

/**
 * Writes the letter that tells an account's owner that a sign-in with Google now opens the account.
 */
export function googleLinkedLetter(facts: {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  email: string
  /** When Google was linked, as text for people. */
  linkedAt: string
  /** Whether older ways to sign in were removed, because nobody had verified the address before. */
  tookOver: boolean
  /** The page where an owner who did not link Google can take the account back. */
  loginPage: string
  supportEmail: string
}): LetterContent {
  const { email, loginPage, supportEmail } = facts
  return {
    subject: 'Google was linked to your Mayfly account',
    preview: 'If this was not you, take your account back at once.',
    heading: 'Google was linked',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} since ${facts.linkedAt} a Google account opens the account of ${email}.`,
      },
      ...(facts.tookOver ? [takenOver(email)] : []),
      {
        kind: 'paragraph',
        strong: 'It was not you?',
        text: `Secure your mail and your Google account first. Then choose 'Forgot password?' at ${loginPage}, sign in with the new password, remove Google on the account page, and write to ${supportEmail}.`,
      },
    ],
  }
}

function takenOver(email: string): LetterContent['blocks'][number] {
  return {
    kind: 'paragraph',
    text: `${email} had been registered here before, and nobody had shown that the address is theirs. The password of then no longer works, and every browser that was signed in has to sign in again. Files of then are still in the account: delete what is not yours. A new password can be set by 'Forgot password?'.`,
  }
}
