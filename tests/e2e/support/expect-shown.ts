import { expect, type Locator } from '@playwright/test'

/**
 * Waits until `container` shows each text, including options and accessible names. A string must
 * match a whole element or text node ('Free' also occurs in sentences); a pattern may match
 * anywhere.
 */
export function expectShown(
  container: Locator,
  texts: readonly (string | RegExp)[],
): Promise<void> {
  const findMissingTexts = async () => {
    const [wholeText = '', ...pieces] = await container.evaluate((element) => {
      const normalize = (text: string | null) => (text ?? '').replaceAll(/[^\S\n]+/g, ' ').trim()
      const labeled = [...element.querySelectorAll('[aria-label], option')]
      const names = labeled.map((element) =>
        normalize(element.getAttribute('aria-label') ?? element.textContent),
      )
      const elements = [element, ...element.querySelectorAll('*')].filter(
        (element) =>
          element instanceof HTMLElement && element.checkVisibility({ visibilityProperty: true }),
      )
      const pieces = elements.flatMap((element) => [
        normalize(element.textContent),
        ...[...element.childNodes]
          .filter((node) => node instanceof Text)
          .map(({ data }) => normalize(data)),
      ])
      // biome-ignore lint/performance/useDomNodeTextContent: a hidden text counts as missing
      const visibleText = element instanceof HTMLElement ? normalize(element.innerText) : ''
      return [[visibleText, ...names].join('\n'), ...names, ...pieces]
    })
    return texts.filter((text) =>
      text instanceof RegExp ? !text.test(wholeText) : !pieces.includes(text),
    )
  }
  return expect.poll(findMissingTexts, 'not shown').toEqual([])
}
