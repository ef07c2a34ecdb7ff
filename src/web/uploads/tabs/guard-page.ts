/**
 * Asks before the tab is closed or left; returns what stops asking. Ask only while bytes would be lost:
 * what asks for nothing is soon clicked away, and some browsers keep no such page for the back button.
 */
export const guardPage = (page: EventTarget = window): (() => void) => {
  const ask = (event: Event) => event.preventDefault()
  page.addEventListener('beforeunload', ask)
  return () => page.removeEventListener('beforeunload', ask)
}

/** True while leaving the page would ask a person: then no program should leave it. */
export const isGuarded = (page: EventTarget = window): boolean =>
  !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))
