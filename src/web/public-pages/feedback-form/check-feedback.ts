export interface FeedbackValues {
  name: string
  email: string
  category: string
  message: string
}

type FieldName = keyof FeedbackValues

/** The text for the toast, and an error message for each invalid field. */
export interface FeedbackErrors {
  title: string
  description: string
  fields: Partial<Record<FieldName, string>>
}

const requiredFields = ['name', 'email', 'message'] as const satisfies readonly FieldName[]

/**
 * Validates the feedback form (spec §5): name, email and message must not be blank, and the email
 * must contain @. Returns null if the form is valid. The server validates again.
 */
export function checkFeedback(values: FeedbackValues): FeedbackErrors | null {
  const missingFields = requiredFields.filter((name) => values[name].trim() === '')
  if (missingFields.length > 0) {
    return {
      title: 'Missing information',
      description: 'Please fill in all required fields.',
      fields: Object.fromEntries(missingFields.map((name) => [name, 'Please fill in this field.'])),
    }
  }
  if (values.email.includes('@')) return null
  const description = 'Please enter a valid email address.'
  return { title: 'Invalid email', description, fields: { email: description } }
}
