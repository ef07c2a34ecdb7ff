/**
 * Makes the browser warn users who close or leave the page. Returns a function that removes the
 * warning. Use it only while data would be lost, because people learn to dismiss needless warnings,
 * and some browsers exclude such pages from the back/forward cache.
 */
export function blockUnload(page: EventTarget = window): () => void {
  const preventUnload = (event: Event) => event.preventDefault()
  page.addEventListener('beforeunload', preventUnload)
  return () => page.removeEventListener('beforeunload', preventUnload)
}

/**
 * True while the browser would warn users who leave the page. The app shouldn't navigate away then.
 */
export function isUnloadBlocked(page: EventTarget = window): boolean {
  return !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))
}
