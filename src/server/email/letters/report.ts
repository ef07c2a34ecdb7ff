import { momentText } from '../../../shared/rules/format/moment-text.ts'
import { groupedDigits } from '../../../shared/rules/format/numbers.ts'
import type { LetterContent } from '../letter.ts'

/** Writes the letter that tells the support of a file that somebody reported. */
export function reportLetter(report: {
  fileName: string
  /** The link under which the file was reported last. */
  link: string
  /** How often the file was reported since the administrator last dealt with it. */
  count: number
  /** Plain text with one or more lines. */
  reason: string
  /** The address that the person left for an answer. */
  email: string | null
  reportedAt: Date
  adminCenter: string
}): LetterContent {
  const { fileName, link, count, reason, email, reportedAt, adminCenter } = report
  const times = count === 1 ? 'once' : `${groupedDigits(count)} times`
  const [first = '', ...others] = reason.split('\n').filter((line) => line.trim() !== '')
  return {
    subject: 'A file was reported',
    preview: reason.slice(0, 120),
    heading: 'A file was reported',
    blocks: [
      { kind: 'paragraph', text: fileName },
      { kind: 'paragraph', text: `Its link is ${link}. It was reported ${times}.` },
      { kind: 'paragraph', strong: 'What was written last:', text: first },
      ...others.map((text) => ({ kind: 'paragraph' as const, text })),
      {
        kind: 'note',
        text: `Sent by ${email ?? 'somebody who left no address'}, on ${momentText(reportedAt)}. Anybody can report a file, under any address.`,
      },
      {
        kind: 'button',
        label: 'Open the Admin Center',
        href: adminCenter,
        note: 'Take the file down there, or dismiss the report. Further reports of the file today bring no other email.',
      },
    ],
  }
}
