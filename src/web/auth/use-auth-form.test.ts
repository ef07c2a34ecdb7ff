// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { ApiError, NetworkError } from '../api/call.ts'
import { type AuthForm, useAuthForm } from './use-auth-form.ts'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

interface Body {
  email: string
  password: string
}

const failedToast = { title: 'Login failed', description: 'Please try again.' }
const validInput = { email: 'ada@example.org', password: 'secret' }

function renderAuthForm(changes: Partial<AuthForm<Body, Body>> = {}) {
  const sentBodies: Body[] = []
  const hook = page.run(() =>
    useAuthForm<Body, Body>({
      schema: z.object({ email: z.email(), password: z.string().min(6) }),
      send: async (body) => {
        sentBodies.push(body)
        return 'leave'
      },
      failed: failedToast,
      ...changes,
    }),
  )
  return {
    sent: sentBodies,
    errors: () => hook.result.current.errors,
    submit: async (values: Body = validInput) => {
      let submitResult: unknown
      await act(async () => {
        submitResult = await hook.result.current.onSubmit(values)
      })
      return submitResult
    },
  }
}

function renderFailingForm(error: unknown, changes: Partial<AuthForm<Body, Body>> = {}) {
  return renderAuthForm({ send: () => Promise.reject(error), ...changes })
}

describe('the input', () => {
  test('is parsed by the schema and sent, and the form returns the result of `send`', async () => {
    const { sent, submit, errors } = renderAuthForm()
    expect(await submit({ ...validInput, email: 'ada@example.org' })).toBe('leave')
    expect(sent).toEqual([validInput])
    expect(errors()).toEqual({})
    expect(page.text()).toBe('')
  })

  test('is not sent if invalid, and each field shows its error', async () => {
    const { sent, submit, errors } = renderAuthForm()
    expect(await submit({ email: 'ada', password: '' })).toBeUndefined()
    expect(sent).toEqual([])
    expect(Object.keys(errors()).sort()).toEqual(['email', 'password'])
    expect(page.text()).toBe('')
  })

  test('also triggers a toast if the form defines one', async () => {
    const toastText = { title: 'Password too short', description: 'At least 6 characters.' }
    const { submit } = renderAuthForm({
      errorToast: ({ password }) => (password.length < 6 ? toastText : null),
    })
    await submit({ ...validInput, email: 'ada' })
    expect(page.text()).toBe('')
    await submit({ ...validInput, password: 'x' })
    await expect.poll(page.text).toBe('Password too shortAt least 6 characters.')
  })

  test('clears earlier errors once it is valid', async () => {
    const { submit, errors } = renderAuthForm()
    await submit({ ...validInput, email: 'ada' })
    await submit()
    expect(errors()).toEqual({})
  })
})

describe('a failed call', () => {
  test.each([
    [
      'shows the server’s message',
      new ApiError(400, '', { message: 'Not this one.' }),
      'Not this one.',
    ],
    [
      'shows the form’s own message if the server sends none',
      new ApiError(500, ''),
      failedToast.description,
    ],
    [
      'shows the form’s own message for an unexpected exception',
      new Error('a bug'),
      failedToast.description,
    ],
  ])('%s', async (_, error, description) => {
    const { submit } = renderFailingForm(error)
    expect(await submit()).toBeUndefined()
    await expect.poll(page.text).toBe(`${failedToast.title}${description}`)
  })

  test.each([
    [undefined, 'Login failed'],
    ['Network error', 'Network error'],
  ])(
    'without a response shows the connection error, under the title %j',
    async (networkTitle, title) => {
      const { submit } = renderFailingForm(
        new NetworkError('away'),
        networkTitle ? { networkTitle } : {},
      )
      await submit()
      await expect.poll(page.text).toBe(`${title}Please check your connection and try again`)
    },
  )

  test('is shown at its field if the form maps the error code', async () => {
    const errorsByCode = { EMAIL_TAKEN: { email: 'This address has an account.' } }
    const emailTakenError = new ApiError(409, '', { code: 'EMAIL_TAKEN' })
    const { submit, errors } = renderFailingForm(emailTakenError, { errorsByCode })
    await submit()
    expect(errors()).toEqual(errorsByCode.EMAIL_TAKEN)
  })

  test.each([
    new ApiError(409, '', { code: 'PASSWORDS_BUSY' }),
    new ApiError(409, ''),
    new NetworkError('away'),
  ])('is not shown at any field otherwise: %s', async (error) => {
    const errorsByCode = { EMAIL_TAKEN: { email: 'This address has an account.' } }
    const { submit, errors } = renderFailingForm(error, { errorsByCode })
    await submit()
    expect(errors()).toEqual({})
  })

  test('opens the login without a toast if the session has ended', async () => {
    const { submit } = renderFailingForm(
      new ApiError(401, 'Unauthorized', { code: 'UNAUTHORIZED' }),
    )
    expect(await submit()).toBeUndefined()
    expect(page.signOutCount()).toBe(1)
    expect(page.text()).toBe('')
  })
})
