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
  toast.classList.toggle('plain', options.tone === 'plain')
  const heading = document.createElement('b')
  heading.textContent = title
  toast.replaceChildren(heading, description)
  clearTimeout(timer)
  timer = window.setTimeout(() => toast.replaceChildren(), options.durationMs ?? defaultDurationMs)
}
