import { type Block, greeting, type LetterContent } from '../letter.ts'

/** A letter names at most this many files. */
const mostNamed = 10

/** Writes the letter that tells an owner which files were taken down, and why. */
export function takedownLetter(facts: {
  /** Null if the address is not verified, because then a stranger may have chosen the name. */
  name: string | null
  /** The names of the files that the letter may mention. */
  fileNames: readonly string[]
  /** How many files were taken down. */
  count: number
  /** Plain text with one or more lines. */
  reason: string
  /** When the files were taken down, in the form that the letter shows. */
  takenDownAt: string
  supportEmail: string
}): LetterContent {
  const { name, fileNames, count, reason, takenDownAt, supportEmail } = facts
  const isOne = count === 1
  const files = isOne ? '1 file of yours' : `${count} files of yours`
  const told = `${files} ${isOne ? 'was' : 'were'} taken down`
  return {
    subject: told,
    preview: 'What happened, why, and whom to write to if it was a mistake.',
    heading: told,
    blocks: [
      {
        kind: 'paragraph',
        text: `${greeting(name)} on ${takenDownAt} we took down ${files}. ${isOne ? 'Its link is closed' : 'Their links are closed'}, and the bytes are being deleted.`,
      },
      ...named(fileNames),
      ...reasonBlocks(reason),
      {
        kind: 'paragraph',
        text: 'The same content cannot be uploaded here again, under whatever name.',
      },
      {
        kind: 'paragraph',
        strong: 'Do you think that this is a mistake?',
        text: `Answer to this email, or write to ${supportEmail}.`,
      },
    ],
  }
}

function named(names: readonly string[]): Block[] {
  const lines: Block[] = names
    .slice(0, mostNamed)
    .map((name) => ({ kind: 'paragraph', text: name }))
  const others = names.length - mostNamed
  return others > 0 ? [...lines, { kind: 'note', text: `and ${others} more` }] : lines
}

function reasonBlocks(reason: string): Block[] {
  const lines = reason.split('\n').filter((line) => line.trim() !== '')
  return lines.map((text, at) => ({
    kind: 'paragraph',
    text,
    ...(at === 0 && { strong: 'The reason:' }),
  }))
}
