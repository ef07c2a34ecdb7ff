/** What a person has typed into the feedback form. */
export interface FeedbackValues {
  name: string
  email: string
  category: string
  message: string
}

type FieldName = keyof FeedbackValues

/** What is wrong with a feedback form: the text of a toast, and a sentence for each wrong field. */
export interface FeedbackFault {
  title: string
  description: string
  fields: Partial<Record<FieldName, string>>
}

const required = ['name', 'email', 'message'] as const satisfies readonly FieldName[]

/**
 * Checks a feedback form before the page sends it (spec §5): name, email and message must be
 * non-empty after trimming, and the email must contain @. The server checks the same again.
 * @returns null if nothing is wrong.
 */
export function checkFeedback(values: FeedbackValues): FeedbackFault | null {
  const missing = required.filter((name) => values[name].trim() === '')
  if (missing.length > 0) {
    return {
      title: 'Missing information',
      description: 'Please fill in all required fields.',
      fields: Object.fromEntries(missing.map((name) => [name, 'Please fill in this field.'])),
    }
  }
  if (values.email.includes('@')) return null
  const description = 'Please enter a valid email address.'
  return { title: 'Invalid email', description, fields: { email: description } }
}
