import type { ErrorCode } from '../../../shared/contract/errors.ts'
import { ApiError } from '../../api/call.ts'
import { failureText } from '../../api/failure-text.ts'
import { showToast } from '../../built-pages/toast.ts'

interface ToastText {
  title: string
  description: string
}

/** Error messages by field name. An empty message only marks the field. */
type Errors = Readonly<Record<string, string | undefined>>

export interface FormBehavior<Values> {
  /** Returns the error of each invalid field. */
  check: (values: Values) => Errors
  /** Returns a toast to show in addition to the field errors (spec §5), or null. */
  errorToast?: (values: Values) => ToastText | null
  /**
   * Calls the server. Resolve to 'leave' to keep the form busy while the browser leaves the page.
   * If the promise rejects, the error is shown to the user.
   */
  send: (values: Values) => Promise<unknown>
  /** The submit button's text while the call is pending. */
  pendingLabel: string
  /**
   * The toast shown if the call fails (spec §8). The server's message, if any, replaces the
   * description.
   */
  failed: ToastText
  /** The field errors for each error code. */
  errorsByCode?: Partial<Record<ErrorCode, Errors>>
}

/** Makes a form validate its fields and send them by script, and its password fields show them. */
export function enableForm<Values>(form: HTMLFormElement, behavior: FormBehavior<Values>): void {
  const { check, errorToast, send, pendingLabel, failed, errorsByCode = {} } = behavior
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]')
  if (button === null) return
  button.disabled = false
  for (const field of form.querySelectorAll('.password')) enablePasswordToggle(field)
  const submit = async () => {
    const values = Object.fromEntries(new FormData(form)) as Values
    const errors = check(values)
    showErrors(form, errors)
    if (Object.keys(errors).length > 0) {
      const text = errorToast?.(values)
      if (text) showToast(text.title, text.description)
      return undefined
    }
    try {
      return await send(values)
    } catch (error) {
      showToast(failed.title, failureText(error, failed.description))
      if (error instanceof ApiError && error.code) showErrors(form, errorsByCode[error.code] ?? {})
      return undefined
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void whileBusy(button, pendingLabel, submit)
  })
}

/**
 * Runs an action of a button, whose text is `pendingLabel` meanwhile. Ignores further presses until
 * the action has ended; after 'leave', it ignores them all.
 */
export async function whileBusy(
  button: HTMLButtonElement,
  pendingLabel: string,
  action: () => Promise<unknown>,
): Promise<void> {
  if (button.getAttribute('aria-busy') === 'true') return
  const label = button.textContent
  button.setAttribute('aria-busy', 'true')
  button.textContent = pendingLabel
  if ((await action()) === 'leave') return
  button.removeAttribute('aria-busy')
  button.textContent = label
}

/** Shows the errors below their fields and focuses the first invalid one. */
function showErrors(form: HTMLFormElement, errors: Errors) {
  for (const input of form.querySelectorAll('input')) {
    const error = errors[input.name]
    input.setAttribute('aria-invalid', String(error !== undefined))
    form.querySelector(`#${input.id}-error`)?.replaceChildren(error ?? '')
  }
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}

function enablePasswordToggle(field: Element) {
  const input = field.querySelector('input')
  const button = field.querySelector('button')
  button?.addEventListener('click', () => {
    const isShown = field.classList.toggle('shown')
    input?.setAttribute('type', isShown ? 'text' : 'password')
    const label = button.getAttribute('aria-label') ?? ''
    button.setAttribute('aria-label', label.replace(/^\w+/, isShown ? 'Hide' : 'Show'))
  })
}

/**
 * Returns the page's note about whom to ask for help because this server can't send email, or null
 * if it can.
 */
export function readNoEmailNote(): string | null {
  return document.querySelector('#no-email')?.textContent || null
}
