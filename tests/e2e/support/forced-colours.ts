import type { Page } from '@playwright/test'

/**
 * Finds what people do not see who have set colours of their own (`forced-colors`). Then a browser
 * paints no background and no shadow of ours, so both must be drawn in another way:
 * - the focus, of each kind of control on the page;
 * - which of several tabs, choices or links is the current one.
 * Puts the focus back where it was.
 * @returns the HTML of each fault's element.
 */
export async function faultsInForcedColours(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  // After a key, browsers show a focus that a script moves. This key does nothing.
  await page.keyboard.press('Shift')
  const faults = await page.evaluate(findFaults)
  await page.emulateMedia({ forcedColors: 'none' })
  return faults
}

/** This function runs in the page. */
function findFaults(): string[] {
  const tagOf = (element: Element) =>
    element.outerHTML.slice(0, element.outerHTML.indexOf('>') + 1) + element.textContent

  const isReached = (element: HTMLElement) =>
    element.tabIndex >= 0 &&
    !element.matches(':disabled') &&
    element.checkVisibility({ visibilityProperty: true }) &&
    element.closest('[inert], [aria-hidden="true"]') === null

  const hasRing = (element: Element | null) => {
    if (element === null) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
  }

  const controls = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    ),
  ].filter(isReached)
  const kinds = new Map(controls.map((one) => [`${one.tagName} ${one.className}`, one]))
  const focused = document.activeElement
  const unseenFocus = [...kinds.values()].filter((control) => {
    control.focus({ preventScroll: true })
    return (
      document.activeElement === control &&
      ![control, control.parentElement, control.nextElementSibling].some(hasRing)
    )
  })
  if (focused instanceof HTMLElement && focused !== document.body) {
    focused.focus({ preventScroll: true })
  } else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()

  // A background is painted only where the colours are not forced.
  const lookOf = (element: Element) => {
    const style = getComputedStyle(element)
    const isForced = style.getPropertyValue('forced-color-adjust') !== 'none'
    const background = isForced ? '' : style.backgroundColor
    return [background, style.borderBottomWidth, style.textDecorationLine].join()
  }
  const state = '[aria-selected="true"], [role="radio"][aria-checked="true"], nav [aria-current]'
  const unseenState = [...document.querySelectorAll(state)].filter((current) => {
    const group = current.closest('[role="tablist"], [role="radiogroup"], nav')
    const other = [...(group?.querySelectorAll(current.tagName) ?? [])].find(
      (one) => !one.matches(state) && one.className === current.className,
    )
    return other?.checkVisibility() && lookOf(other) === lookOf(current)
  })
  return [
    ...unseenFocus.map((element) => `no focus ring: ${tagOf(element)}`),
    ...unseenState.map((element) => `looks like the others: ${tagOf(element)}`),
  ]
}
