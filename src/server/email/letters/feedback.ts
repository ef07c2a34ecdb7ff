import { categoryLabels, type FeedbackCategory } from '../../../shared/rules/feedback-category.ts'
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
