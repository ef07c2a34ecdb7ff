import {
  categoryLabels,
  type FeedbackCategory,
  maxFeedbackEmailsPerHour,
} from '../../../shared/rules/accounts/feedback.ts'
import { formatCount, groupDigits } from '../../../shared/rules/format/numbers.ts'
import { timestampText } from '../../../shared/rules/format/timestamp-text.ts'
import type { Block, EmailContent } from '../email.ts'

/** The email that forwards feedback to support. */
export function feedbackEmail(feedback: {
  name: string
  email: string
  category: FeedbackCategory | null
  /** Plain text with one or more lines. */
  message: string
  createdAt: Date
}): EmailContent {
  const { name, email, category, message, createdAt } = feedback
  const title = `${category === null ? 'Feedback' : categoryLabels[category]} from ${name}`
  return {
    subject: title,
    preview: message.slice(0, 120),
    heading: title,
    blocks: [
      ...toParagraphs(message),
      {
        kind: 'note',
        text: `Sent by ${name}, ${email}, on ${timestampText(createdAt)}. The name and address are not verified.`,
      },
    ],
  }
}

/** The digest of one hour's feedback, sent to support if some of it wasn't emailed individually. */
export function feedbackDigestEmail(digest: {
  from: Date
  until: Date
  /** Number of feedback messages from this hour that are still stored. */
  all: number
  /** Number of those messages that were probably sent by bots. */
  suspect: number
  adminCenter: string
}): EmailContent {
  const { from, until, all, suspect, adminCenter } = digest
  const messagesText = formatCount(all, 'message')
  const suspectCountText = suspect === all ? '' : `${groupDigits(suspect)} of them `
  const robotText = suspect === 0 ? '' : `, ${suspectCountText}probably from bots`
  return {
    subject: `Feedback in the Admin Center: ${messagesText} in an hour`,
    preview: 'Not every message of this hour got its own email.',
    heading: 'Some feedback was not emailed',
    blocks: [
      {
        kind: 'paragraph',
        text: `Not every message from ${timestampText(from)} to ${timestampText(until)} got its own email. The Admin Center has ${messagesText} of that hour${robotText}.`,
      },
      {
        kind: 'button',
        label: 'Open the Admin Center',
        href: adminCenter,
        note: `Look under Feedback. The number includes messages that were emailed, and not those that were deleted. At most ${maxFeedbackEmailsPerHour} an hour are emailed, and none that seems to come from a bot. A browser that fills in forms by itself may look like one.`,
      },
    ],
  }
}

/** The email that forwards a file report to support. */
export function reportEmail(report: {
  fileName: string
  /** The link through which the file was last reported. */
  link: string
  /** How many submissions about the file are combined in this report. */
  count: number
  /** Plain text with one or more lines. */
  reason: string
  /** The reporter's contact address. */
  email: string | null
  reportedAt: Date
  adminCenter: string
}): EmailContent {
  const { fileName, link, count, reason, email, reportedAt, adminCenter } = report
  const countText = count === 1 ? 'once' : `${groupDigits(count)} times`
  return {
    subject: 'A file was reported',
    preview: reason.slice(0, 120),
    heading: 'A file was reported',
    blocks: [
      { kind: 'paragraph', text: fileName },
      { kind: 'paragraph', text: `Its link is ${link}. It was reported ${countText}.` },
      ...toParagraphs(reason, 'The last report says:'),
      {
        kind: 'note',
        text: `Sent by ${email ?? 'somebody who left no address'}, on ${timestampText(reportedAt)}. Anybody can report a file, under any address.`,
      },
      {
        kind: 'button',
        label: 'Open the Admin Center',
        href: adminCenter,
        note: 'Take the file down there, or dismiss the report. Further reports of the file today send no other email.',
      },
    ],
  }
}

/** The email that the administrator sends to test the mail server. */
export function testEmail({ origin }: { origin: string }): EmailContent {
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

/**
 * Splits text into paragraphs at line breaks, skipping blank lines. `lead` starts the first one.
 */
function toParagraphs(text: string, lead?: string): Block[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, index) => ({
    kind: 'paragraph',
    text: line,
    ...(index === 0 && lead !== undefined && { strong: lead }),
  }))
}
