import { greeting, type LetterContent } from '../letter.ts'

/** Writes the letter that lets an owner who forgot the password set a new one. */
export function resetPasswordLetter(facts: {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  email: string
  /** The page that takes the new password. Anyone who has this link can set the password. */
  link: string
  /** When the letter was asked for, as text for people. */
  askedAt: string
  /** Whether the account has a password. An account that only Google opens has none. */
  hasPassword: boolean
}): LetterContent {
  return {
    subject: 'Reset your Mayfly password',
    preview: 'The link works once, for one hour.',
    heading: 'Reset your password',
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(facts.name)} somebody asked for a new password for ${facts.email} (${facts.askedAt}).`,
      },
      {
        kind: 'button',
        label: 'Set a new password',
        href: facts.link,
        note: 'The link works once, for one hour.',
      },
      {
        kind: 'paragraph',
        strong: 'It was not you?',
        text: `Do nothing. ${facts.hasPassword ? 'Your password stays as it is.' : 'Nothing changes.'}`,
      },
    ],
  }
}
