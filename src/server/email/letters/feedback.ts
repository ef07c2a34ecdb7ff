import { counted } from '../../../shared/rules/counted.ts'
import { categoryLabels, type FeedbackCategory } from '../../../shared/rules/feedback-category.ts'
import { mostFeedbackLettersAnHour } from '../../../shared/rules/feedback-limits.ts'
import { momentText } from '../../../shared/rules/moment-text.ts'
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

/** Writes the letter that tells the support about an hour in which not all feedback was mailed. */
export function feedbackDigestLetter(hour: {
  from: Date
  until: Date
  /** How much feedback is stored of this hour. */
  all: number
  /** How much of it robots seem to have sent. */
  suspect: number
  adminCenter: string
}): LetterContent {
  const { from, until, all, suspect, adminCenter } = hour
  const messages = counted(all, 'message')
  const part = suspect === all ? '' : `${suspect.toLocaleString('en')} of them `
  const robots = suspect === 0 ? '' : `, ${part}probably by a robot`
  return {
    subject: `Feedback in the Admin Center: ${messages} in an hour`,
    preview: 'Not all of it was mailed.',
    heading: 'Not all feedback was mailed',
    blocks: [
      {
        kind: 'paragraph',
        text: `From ${momentText(from)} until ${momentText(until)}, ${messages} came by the feedback form${robots}.`,
      },
      {
        kind: 'button',
        label: 'Open the Admin Center',
        href: adminCenter,
        note: `All are listed there under Feedback. At most ${mostFeedbackLettersAnHour} in an hour are mailed, and none that a robot seems to have sent. A browser that fills in forms by itself may look like one.`,
      },
    ],
  }
}
