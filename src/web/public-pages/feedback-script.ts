import { readHint } from '../api/hint-cookie.ts'
import { showToast } from '../static-pages/toast.ts'
import { enhancePage } from './enhance.ts'
import { checkFeedback, type FeedbackValues } from './feedback-form/check-feedback.ts'

/** Spec §9: the toast of feedback that was sent stays for 8 s. */
const sentToastMs = 8000

const fieldNames = ['name', 'email', 'category', 'message'] as const

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function controlOf(form: HTMLFormElement, name: string): Control | null {
  return form.querySelector(`[name="${name}"]`)
}

function valuesOf(form: HTMLFormElement): FeedbackValues & { website: string } {
  const read = (name: string) => controlOf(form, name)?.value ?? ''
  return {
    name: read('name'),
    email: read('email'),
    category: read('category'),
    message: read('message'),
    website: read('website'),
  }
}

/** Shows the fault of each field below it, and moves the focus to the first field with a fault. */
function showFaults(form: HTMLFormElement, faults: Partial<Record<string, string>>) {
  for (const name of fieldNames) {
    const control = controlOf(form, name)
    const place = form.querySelector(`#${name}-fault`)
    if (control === null || place === null) continue
    const fault = faults[name] ?? ''
    place.textContent = fault
    control.toggleAttribute('aria-invalid', fault !== '')
    if (fault === '') control.removeAttribute('aria-describedby')
    else {
      control.setAttribute('aria-invalid', 'true')
      control.setAttribute('aria-describedby', place.id)
    }
  }
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

/**
 * Sends feedback.
 * @returns null if it was sent, else the sentence that says why not: the server's own, where there
 * is one (spec §8).
 */
async function send(values: object): Promise<string | null> {
  const unknown = 'Something went wrong. Please try again.'
  try {
    const answer = await fetch('/api/feedback', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(values),
    })
    if (answer.ok) return null
    const { message } = await answer.json()
    return typeof message === 'string' && message !== '' ? message : unknown
  } catch {
    return unknown
  }
}

/** Checks and sends the form on this page, and keeps it as it is if that fails (spec §8). */
function offerForm(form: HTMLFormElement, button: HTMLButtonElement) {
  // Our own check replaces that of the browser.
  form.noValidate = true
  const label = button.textContent
  let isSending = false
  const mark = (sending: boolean) => {
    isSending = sending
    button.textContent = sending ? 'Sending...' : label
    button.toggleAttribute('aria-busy', sending)
    if (sending) button.setAttribute('aria-busy', 'true')
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSending) return
    const values = valuesOf(form)
    const fault = checkFeedback(values)
    showFaults(form, fault?.fields ?? {})
    if (fault) return showToast(fault.title, fault.description)
    mark(true)
    const failure = await send(values)
    mark(false)
    if (failure !== null) return showToast('Failed to send feedback', failure)
    form.reset()
    showToast('Feedback sent successfully!', 'Thank you for your feedback.', {
      tone: 'plain',
      durationMs: sentToastMs,
    })
  })
}

/** Fills in the name and the address of a signed-in user where nothing has been typed yet. */
async function prefill(form: HTMLFormElement) {
  if (readHint(document) === null) return
  const answer = await fetch('/api/auth/user').catch(() => null)
  if (!answer?.ok) return
  const user: { name?: unknown; email?: unknown } = await answer.json().catch(() => ({}))
  for (const name of ['name', 'email'] as const) {
    const control = controlOf(form, name)
    const value = user[name]
    if (control?.value === '' && typeof value === 'string') control.value = value
  }
}

enhancePage()
const form = document.querySelector<HTMLFormElement>('#feedback')
const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]')
if (form && button) {
  offerForm(form, button)
  void prefill(form)
}
