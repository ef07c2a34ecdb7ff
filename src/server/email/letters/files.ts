import type { FileLetter } from '../../../shared/rules/files/file-letters.ts'
import { type Block, greeting, type LetterContent } from '../letter.ts'

/** A letter names at most this many files. */
const mostNamed = 10

interface ToldFile {
  name: string
  /** When the file's link ends, as text for people. */
  endsAt: string
  /** Whether the link is still active. */
  isOpen: boolean
}

interface Facts {
  /** Null if the address is not verified, because a stranger may have chosen the name then. */
  name: string | null
  /** Whether the letter may name the files. Otherwise it only tells how many there are. */
  namesFiles: boolean
  /** At least one file. */
  files: readonly ToldFile[]
  /** The page with the setting that asks for this letter. */
  fileManager: string
}

interface Text {
  /** Returns what the letter tells about this many files. */
  told: (count: number) => string
  advice: string
}

const texts: Readonly<Record<FileLetter, Text>> = {
  'first-download': {
    told: (count) =>
      count === 1
        ? '1 file of yours was downloaded for the first time'
        : `${count} files of yours were downloaded for the first time`,
    advice: 'The File Manager shows how often each file is downloaded.',
  },
  'link-ends': {
    told: (count) =>
      count === 1
        ? '1 link of yours ends within a day'
        : `${count} links of yours end within a day`,
    advice: 'Renew a link to keep its file for longer. It gets a new address then.',
  },
}

/** Writes a letter about files. Users ask for it in the settings of the File Manager. */
export function fileLetter(
  letter: FileLetter,
  { name, namesFiles, files, fileManager }: Facts,
): LetterContent {
  const { advice, ...text } = texts[letter]
  const told = text.told(files.length)
  return {
    subject: told,
    preview: advice,
    heading: told,
    blocks: [
      { kind: 'paragraph', text: `${greeting(name)} ${told}.` },
      ...(namesFiles ? named(files) : []),
      { kind: 'paragraph', text: advice },
      {
        kind: 'button',
        label: 'Open the File Manager',
        href: fileManager,
        note: 'You asked for this email in the settings of the File Manager. Turn it off there.',
      },
    ],
  }
}

function named(files: readonly ToldFile[]): Block[] {
  const lines: Block[] = files.slice(0, mostNamed).map(({ name, endsAt, isOpen }) => ({
    kind: 'paragraph',
    strong: name,
    text: `${isOpen ? 'until' : 'ended'} ${endsAt}`,
  }))
  const others = files.length - mostNamed
  return others > 0 ? [...lines, { kind: 'note', text: `and ${others} more` }] : lines
}
