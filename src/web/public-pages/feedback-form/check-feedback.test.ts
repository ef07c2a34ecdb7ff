import { describe, expect, it } from 'vitest'
import { feedbackBody } from '../../../shared/contract/feedback.ts'
import { checkFeedback } from './check-feedback.ts'

const whole = { name: 'Ada', email: 'ada@example.org', category: '', message: 'It rattles.' }

describe('the check of the feedback form', () => {
  it('lets a whole form pass, with a category or without', () => {
    expect(checkFeedback(whole)).toBeNull()
    expect(checkFeedback({ ...whole, category: 'bug' })).toBeNull()
  })

  it.each(['name', 'email', 'message'] as const)(
    'asks for a %s that is not only spaces',
    (name) => {
      for (const empty of ['', ' ', '\n\t']) {
        expect(checkFeedback({ ...whole, [name]: empty })).toEqual({
          title: 'Missing information',
          description: 'Please fill in all required fields.',
          fields: { [name]: 'Please fill in this field.' },
        })
      }
    },
  )

  it('names every field that is missing at once', () => {
    const errors = checkFeedback({ name: '', email: ' ', category: '', message: '' })
    expect(Object.keys(errors?.fields ?? {})).toEqual(['name', 'email', 'message'])
  })

  it('asks for an @ once all fields are filled in', () => {
    expect(checkFeedback({ ...whole, email: 'ada' })).toMatchObject({
      title: 'Invalid email',
      description: 'Please enter a valid email address.',
      fields: { email: 'Please enter a valid email address.' },
    })
    expect(checkFeedback({ ...whole, email: 'ada', message: '' })?.title).toBe(
      'Missing information',
    )
  })

  it('refuses nothing that the server would take', () => {
    for (const values of [whole, { ...whole, name: ' Ada ' }, { ...whole, email: 'a@b' }]) {
      expect(feedbackBody.safeParse(values).success).toBe(true)
      expect(checkFeedback(values)).toBeNull()
    }
  })
})
