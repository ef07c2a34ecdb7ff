/**
 * Makes the browser ask a person before the tab is closed or left. Returns how to stop that. To be used only
 * while bytes would be lost: a person learns to dismiss needless questions, and some browsers keep no such
 * page for the back button.
 */
export function guardPage(page: EventTarget = window): () => void {
  const ask = (event: Event) => event.preventDefault()
  page.addEventListener('beforeunload', ask)
  return () => page.removeEventListener('beforeunload', ask)
}

/** True while the browser would ask a person before the page is left: no program should leave it then. */
export function isGuarded(page: EventTarget = window): boolean {
  return !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))
}
