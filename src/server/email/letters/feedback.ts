import {
  categoryLabels,
  type FeedbackCategory,
  mostFeedbackLettersAnHour,
} from '../../../shared/rules/accounts/feedback.ts'
import { momentText } from '../../../shared/rules/format/moment-text.ts'
import { counted, groupedDigits } from '../../../shared/rules/format/numbers.ts'
import type { LetterContent } from '../letter.ts'

/** Writes the letter that shows feedback to the support. */
export function feedbackLetter(feedback: {
  name: string
  email: string
  category: FeedbackCategory | null
  /** Plain text with one or more lines. */
  message: string
  createdAt: Date
}): LetterContent {
  const { name, email, category, message, createdAt } = feedback
  const kind = category === null ? 'Feedback' : categoryLabels[category]
  return {
    subject: `${kind} from ${name}`,
    preview: message.slice(0, 120),
    heading: `${kind} from ${name}`,
    blocks: [
      ...message
        .split('\n')
        .filter((text) => text.trim() !== '')
        .map((text) => ({ kind: 'paragraph' as const, text })),
      {
        kind: 'note',
        text: `Sent by ${name}, ${email}, on ${momentText(createdAt)}. Anybody can write any name and address into the form.`,
      },
    ],
  }
}

/**
 * Writes the letter that tells the support about an hour in which not all feedback was mailed. The
 * letter counts the feedback of the hour that is stored when the letter is written: also what got
 * an email of its own, and nothing that was deleted.
 */
export function feedbackDigestLetter(hour: {
  from: Date
  until: Date
  /** How much feedback of this hour is stored now. */
  all: number
  /** How much of it robots seem to have sent. */
  suspect: number
  adminCenter: string
}): LetterContent {
  const { from, until, all, suspect, adminCenter } = hour
  const messages = counted(all, 'message')
  const part = suspect === all ? '' : `${groupedDigits(suspect)} of them `
  const robots = suspect === 0 ? '' : `, ${part}probably by a robot`
  return {
    subject: `Feedback in the Admin Center: ${messages} of an hour`,
    preview: 'Not all feedback of this hour got an email of its own.',
    heading: 'Not all feedback was mailed',
    blocks: [
      {
        kind: 'paragraph',
        text: `Some feedback of the hour from ${momentText(from)} until ${momentText(until)} got no email of its own. The Admin Center has ${messages} of that hour${robots}.`,
      },
      {
        kind: 'button',
        label: 'Open the Admin Center',
        href: adminCenter,
        note: `Look there under Feedback. What got an email is counted too, and what was deleted is not. At most ${mostFeedbackLettersAnHour} in an hour are mailed, and none that a robot seems to have sent. A browser that fills in forms by itself may look like one.`,
      },
    ],
  }
}
