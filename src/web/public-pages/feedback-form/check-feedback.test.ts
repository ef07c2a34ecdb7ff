import { describe, expect, it } from 'vitest'
import { feedbackBody } from '../../../shared/contract/feedback.ts'
import { checkFeedback } from './check-feedback.ts'

const completeValues = {
  name: 'Ada',
  email: 'ada@example.org',
  category: '',
  message: 'It rattles.',
}

describe('checkFeedback', () => {
  it('accepts a complete form with or without a category', () => {
    expect(checkFeedback(completeValues)).toBeNull()
    expect(checkFeedback({ ...completeValues, category: 'bug' })).toBeNull()
  })

  it.each(['name', 'email', 'message'] as const)('rejects a missing or blank %s', (name) => {
    for (const blank of ['', ' ', '\n\t']) {
      expect(checkFeedback({ ...completeValues, [name]: blank })).toEqual({
        title: 'Missing information',
        description: 'Please fill in all required fields.',
        fields: { [name]: 'Please fill in this field.' },
      })
    }
  })

  it('reports all missing fields together', () => {
    const errors = checkFeedback({ name: '', email: ' ', category: '', message: '' })
    expect(Object.keys(errors?.fields ?? {})).toEqual(['name', 'email', 'message'])
  })

  it('requires an @ in the email address after all fields are filled in', () => {
    expect(checkFeedback({ ...completeValues, email: 'ada' })).toMatchObject({
      title: 'Invalid email',
      description: 'Please enter a valid email address.',
      fields: { email: 'Please enter a valid email address.' },
    })
    expect(checkFeedback({ ...completeValues, email: 'ada', message: '' })?.title).toBe(
      'Missing information',
    )
  })

  it('accepts values that the server accepts', () => {
    for (const values of [
      completeValues,
      { ...completeValues, name: ' Ada ' },
      { ...completeValues, email: 'a@b' },
    ]) {
      expect(feedbackBody.safeParse(values).success).toBe(true)
      expect(checkFeedback(values)).toBeNull()
    }
  })
})
