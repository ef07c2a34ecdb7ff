import type { LetterContent } from '../letter.ts'

/** Writes the letter by which the administrator tests the mail server. */
export function testLetter({ origin }: { origin: string }): LetterContent {
  return {
    subject: 'Mail from Mayfly works',
    preview: `A test from ${origin}.`,
    heading: 'Mail works',
    blocks: [
      {
        kind: 'paragraph',
        text: `The administrator of ${origin} asked for this email. It arrived, so emails about accounts and files arrive too.`,
      },
    ],
  }
}
