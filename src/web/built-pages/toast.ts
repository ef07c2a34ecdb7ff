/** How long a toast stays by default, in milliseconds (spec §9: 5 s). */
const defaultDurationMs = 5000

let timer = 0

/**
 * Shows a message in the page's `#toast` element. A later message replaces it.
 * @param look `plain` is for good news. Without it, the message looks like a failure.
 */
export function showToast(
  title: string,
  description: string,
  look: { tone?: 'plain'; durationMs?: number } = {},
): void {
  const toast = document.querySelector('#toast')
  if (toast === null) return
  toast.classList.toggle('plain', look.tone === 'plain')
  const heading = document.createElement('b')
  heading.textContent = title
  toast.replaceChildren(heading, description)
  clearTimeout(timer)
  timer = window.setTimeout(() => toast.replaceChildren(), look.durationMs ?? defaultDurationMs)
}
