/** What decides whether a page scrolls to a new row. */
export interface Sight {
  /** The whole row can be seen. */
  isShown: boolean
  /** The person has not scrolled away from the top of the page, where uploads begin. */
  isAtTop: boolean
  /** The person is typing, or moves through the page with the keyboard. */
  usesKeyboard: boolean
}

/**
 * True if the page may scroll to a new row: the person does not see it, is at the top of the page
 * and does not use the keyboard.
 */
export function mayScroll({ isShown, isAtTop, usesKeyboard }: Sight): boolean {
  return !isShown && isAtTop && !usesKeyboard
}

/** Scrolls to a new row, if the person would miss it otherwise. The focus stays where it is. */
export function bringIntoSight(row: Element): void {
  const sight = {
    isShown: isShown(row),
    isAtTop: window.scrollY < 1,
    usesKeyboard: isKeyboardAt(document.activeElement),
  }
  if (!mayScroll(sight)) return
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  row.scrollIntoView({ block: 'center', behavior: isCalm ? 'auto' : 'smooth' })
}

/**
 * True if the browser shows a focus ring on the element. Browsers always show it on a text field.
 */
function isKeyboardAt(focused: Element | null): boolean {
  return focused !== null && focused !== document.body && focused.matches(':focus-visible')
}

/**
 * `isShown` tests points of a row this many pixels inside its top and its bottom edge, at these
 * fractions of its width: its name, its middle and its buttons.
 */
const inset = 8
const tested = [0.15, 0.5, 0.85]

/** True if the row is inside the window, and nothing such as the uploads panel covers it. */
function isShown(row: Element): boolean {
  const { left, width, top, bottom } = row.getBoundingClientRect()
  return [top + inset, bottom - inset].every((y) =>
    tested.every((part) => row.contains(document.elementFromPoint(left + width * part, y))),
  )
}
