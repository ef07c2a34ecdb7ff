/**
 * Makes the browser ask a person before the tab is closed or left. Returns a function that stops
 * this. Use it only while bytes would be lost, because people learn to dismiss needless questions.
 * Besides, some browsers do not keep a page for the back button while it has this question.
 */
export function guardPage(page: EventTarget = window): () => void {
  const ask = (event: Event) => event.preventDefault()
  page.addEventListener('beforeunload', ask)
  return () => page.removeEventListener('beforeunload', ask)
}

/**
 * True while the browser would ask a person before the page is left. The program should not leave
 * the page then.
 */
export function isGuarded(page: EventTarget = window): boolean {
  return !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))
}
