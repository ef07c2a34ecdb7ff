import { takeStoredToast } from '../ui/stored-toast.ts'

/** Spec §9: toasts are shown for 5 s. */
const defaultDurationMs = 5000

let timer = 0

/**
 * Shows a message in the page's `#toast` element, replacing any earlier one.
 * @param options `tone` is 'plain' for success messages. By default the toast is styled as an
 * error.
 */
export function showToast(
  title: string,
  description: string,
  options: { tone?: 'plain'; durationMs?: number } = {},
): void {
  const toast = document.querySelector('#toast')
  if (toast === null) return
  // An open dialog covers everything outside of it.
  const container = document.querySelector('dialog[open]') ?? document.body
  if (toast.parentElement !== container) container.append(toast)
  toast.classList.toggle('plain', options.tone === 'plain')
  const heading = document.createElement('b')
  heading.textContent = title
  const text = document.createElement('p')
  text.textContent = description
  toast.replaceChildren(heading, text)
  clearTimeout(timer)
  timer = window.setTimeout(() => toast.replaceChildren(), options.durationMs ?? defaultDurationMs)
}

/** Shows the toast that the page before has stored for this one, if any. */
export function showStoredToast(): void {
  const stored = takeStoredToast()
  if (stored === null) return
  const { title, description = '', tone = 'plain', durationMs = defaultDurationMs } = stored
  showToast(title, description, { ...(tone === 'plain' && { tone }), durationMs })
}
