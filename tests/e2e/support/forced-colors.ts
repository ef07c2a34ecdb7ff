import type { Page } from '@playwright/test'

/**
 * Finds UI states that can't be seen with `forced-colors`, where the browser ignores our
 * backgrounds and shadows. Borders, outlines or underlines must show when a control has the focus
 * and when a tab, choice or link is selected. Restores the focus.
 * @returns one message per problem, with the element's HTML.
 */
export async function findForcedColorsProblems(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  // When a script moves the focus, browsers show a focus ring only if the last input was a key
  // press.
  await page.keyboard.press('Shift')
  const problems = await page.evaluate(findProblems)
  await page.emulateMedia({ forcedColors: 'none' })
  return problems
}

/** Runs in the browser, inside the page. */
function findProblems(): string[] {
  const describeElement = (element: Element) =>
    element.outerHTML.slice(0, element.outerHTML.indexOf('>') + 1) + element.textContent

  const isFocusable = (element: HTMLElement) =>
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
  ].filter(isFocusable)
  const controlsByKind = new Map(
    controls.map((control) => [`${control.tagName} ${control.className}`, control]),
  )
  const focused = document.activeElement
  const invisibleFocus = [...controlsByKind.values()].filter((control) => {
    control.focus({ preventScroll: true })
    return (
      document.activeElement === control &&
      ![control, control.parentElement, control.nextElementSibling].some(hasRing)
    )
  })
  if (focused instanceof HTMLElement && focused !== document.body) {
    focused.focus({ preventScroll: true })
  } else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()

  // With forced colors, only elements that opt out keep our background colors.
  const getStyleKey = (element: Element) => {
    const style = getComputedStyle(element)
    const isForced = style.getPropertyValue('forced-color-adjust') !== 'none'
    const background = isForced ? '' : style.backgroundColor
    return [background, style.borderBottomWidth, style.textDecorationLine].join()
  }
  const selectedSelector =
    '[aria-selected="true"], input[type="radio"]:checked + span, nav [aria-current]'
  const invisibleState = [...document.querySelectorAll(selectedSelector)].filter(
    (selectedElement) => {
      const group = selectedElement.closest('[role="tablist"], [role="radiogroup"], nav')
      const unselectedElement = [...(group?.querySelectorAll(selectedElement.tagName) ?? [])].find(
        (element) =>
          !element.matches(selectedSelector) && element.className === selectedElement.className,
      )
      return (
        unselectedElement?.checkVisibility() &&
        getStyleKey(unselectedElement) === getStyleKey(selectedElement)
      )
    },
  )
  return [
    ...invisibleFocus.map((element) => `no focus ring: ${describeElement(element)}`),
    ...invisibleState.map((element) => `looks like the others: ${describeElement(element)}`),
  ]
}
