/** Spec §9: toasts stay 5 s. */
const toastDuration = 5000

let timer = 0

/** Shows that something failed, in the page's `#toast` element. A later message replaces it. */
export function showToast(title: string, description: string): void {
  const toast = document.querySelector('#toast')
  if (toast === null) return
  const heading = document.createElement('b')
  heading.textContent = title
  toast.replaceChildren(heading, description)
  clearTimeout(timer)
  timer = window.setTimeout(() => toast.replaceChildren(), toastDuration)
}
