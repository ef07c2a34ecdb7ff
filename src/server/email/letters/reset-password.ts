import { greeting, type LetterContent } from '../letter.ts'

/** The way back into an account for somebody who forgot its password. */
export function resetPasswordLetter(facts: {
  /** Null where nobody has shown to read this address: then the name may be somebody else's words. */
  name: string | null
  email: string
  /** The address that takes the new password; whoever has it may set one. */
  link: string
  /** In words. */
  askedAt: string
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
        text: 'Do nothing. Your password stays as it is.',
      },
    ],
  }
}
