import { readHint } from '../../api/hint-cookie.ts'
import { showToast } from '../../built-pages/toast.ts'
import { checkFeedback, type FeedbackErrors, type FeedbackValues } from './check-feedback.ts'
import { reportedRequestText } from './reported-request.ts'

/** Spec §2: this toast stays for 8 s. */
const sentToastMs = 8000

/**
 * Makes the feedback form, if the page has one, validate its input and send it without leaving the
 * page. If sending fails, the form keeps its values (spec §2).
 */
export function enableFeedbackForm(): void {
  const form = document.querySelector<HTMLFormElement>('#feedback')
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]')
  if (!form || !button) return
  void prefill(form)
  const messageField = form.querySelector<HTMLTextAreaElement>('#message')
  if (messageField?.value === '') messageField.value = reportedRequestText(location)
  // `checkFeedback` has better error messages than the browser.
  form.noValidate = true
  const label = button.textContent
  let isSending = false
  const setSending = (sending: boolean) => {
    isSending = sending
    button.textContent = sending ? 'Sending...' : label
    button.setAttribute('aria-busy', String(sending))
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSending) return
    const values = Object.fromEntries(new FormData(form)) as unknown as FeedbackValues
    const errors = checkFeedback(values)
    showErrors(form, errors?.fields ?? {})
    if (errors) return showToast(errors.title, errors.description)
    setSending(true)
    const failureReason = await sendFeedback(values)
    setSending(false)
    if (failureReason !== null) return showToast('Failed to send feedback', failureReason)
    form.reset()
    void prefill(form)
    showToast('Feedback sent successfully!', 'Thank you for your feedback.', {
      tone: 'plain',
      durationMs: sentToastMs,
    })
  })
}

/** Shows an error at each invalid field and focuses the first one. */
function showErrors(form: HTMLFormElement, errors: FeedbackErrors['fields']) {
  for (const name of ['name', 'email', 'message'] as const) {
    const error = errors[name] ?? ''
    form.querySelector(`#${name}`)?.setAttribute('aria-invalid', String(error !== ''))
    form.querySelector(`#${name}-error`)?.replaceChildren(error)
  }
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}

/** Sends feedback. Returns null on success, or the reason for the failure. */
async function sendFeedback(values: object): Promise<string | null> {
  const defaultError = 'Something went wrong. Please try again.'
  try {
    const response = await fetch('/api/feedback', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(values),
    })
    if (response.ok) return null
    const { message } = await response.json()
    return typeof message === 'string' && message !== '' ? message : defaultError
  } catch {
    return defaultError
  }
}

/** Fills in a signed-in user's name and email address, unless those fields already have values. */
async function prefill(form: HTMLFormElement) {
  if (readHint(document) === null) return
  const response = await fetch('/api/auth/user').catch(() => null)
  if (!response?.ok) return
  const user: { name?: unknown; email?: unknown } = await response.json().catch(() => ({}))
  for (const name of ['name', 'email'] as const) {
    const input = form.querySelector<HTMLInputElement>(`#${name}`)
    const value = user[name]
    if (input?.value === '' && typeof value === 'string') input.value = value
  }
}
