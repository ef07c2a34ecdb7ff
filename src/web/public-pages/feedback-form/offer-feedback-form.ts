import { readHint } from '../../api/hint-cookie.ts'
import { showToast } from '../../built-pages/toast.ts'
import { checkFeedback, type FeedbackValues } from './check-feedback.ts'

/** Spec §2: 8 s. */
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

/** Shows the fault of each field below the field. Moves the focus to the first wrong field. */
function showFaults(form: HTMLFormElement, faults: Partial<Record<string, string>>) {
  for (const name of fieldNames) {
    const control = controlOf(form, name)
    const place = form.querySelector(`#${name}-fault`)
    if (control === null || place === null) continue
    const fault = faults[name] ?? ''
    place.textContent = fault
    setOrRemove(control, 'aria-invalid', fault === '' ? null : 'true')
    setOrRemove(control, 'aria-describedby', fault === '' ? null : place.id)
  }
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

/** Sets an attribute, or removes it if `value` is null. */
function setOrRemove(element: Element, name: string, value: string | null) {
  if (value === null) element.removeAttribute(name)
  else element.setAttribute(name, value)
}

/**
 * Sends feedback to the server.
 * @returns null if the server accepted it. Otherwise the sentence of the server that says why not,
 * or a general sentence if there is none.
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

/**
 * Makes the feedback form work, if the page has one: checks it and sends it. If that fails, the
 * form keeps what was typed (spec §2).
 */
export function offerFeedbackForm(): void {
  const form = document.querySelector<HTMLFormElement>('#feedback')
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]')
  if (!form || !button) return
  void prefill(form)
  // The browser must not check the form, because `checkFeedback` does so with better messages.
  form.noValidate = true
  const label = button.textContent
  let isSending = false
  const mark = (sending: boolean) => {
    isSending = sending
    button.textContent = sending ? 'Sending...' : label
    setOrRemove(button, 'aria-busy', sending ? 'true' : null)
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
    void prefill(form)
    showToast('Feedback sent successfully!', 'Thank you for your feedback.', {
      tone: 'plain',
      durationMs: sentToastMs,
    })
  })
}

/**
 * Fills in the name and the mail address of a signed-in user. It leaves fields alone in which
 * something has been typed.
 */
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
