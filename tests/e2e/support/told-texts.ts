import { expect, type Locator, type Page } from '@playwright/test'

declare global {
  interface Window {
    /** The texts of all elements that were added to this page, in order. */
    toldTexts?: string[]
  }
}

/** From now on, each page that is opened records all texts that appear on it, even for a moment. */
export async function keepToldTexts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told: string[] = []
    window.toldTexts = told
    new MutationObserver((changes) => {
      for (const { addedNodes, target, type } of changes) {
        if (type === 'characterData') told.push(target.textContent ?? '')
        for (const { textContent } of addedNodes) told.push(textContent ?? '')
      }
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/**
 * Waits until the page has recorded each of these texts. A text may have disappeared again, such as
 * that of a toast.
 */
export function expectTold(page: Page, texts: readonly string[]): Promise<void> {
  const missing = () =>
    page.evaluate(
      (texts) => texts.filter((text) => !window.toldTexts?.some((told) => told.includes(text))),
      [...texts],
    )
  return expect.poll(missing, 'not told').toEqual([])
}

/**
 * Waits until a part of the page shows each of these texts: what people see, the choices of its
 * fields, and the names that screen readers tell.
 */
export function expectShown(place: Locator, texts: readonly (string | RegExp)[]): Promise<void> {
  const missing = async () => {
    const shown = await place.evaluate((element) => {
      const named = [...element.querySelectorAll('[aria-label], option')]
      const names = named.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? '')
      // biome-ignore lint/performance/useDomNodeTextContent: a text that is hidden counts as missing
      const seen = element instanceof HTMLElement ? element.innerText : ''
      return [seen, ...names].join('\n').replaceAll(/[^\S\n]+/g, ' ')
    })
    return texts.filter((text) =>
      text instanceof RegExp ? !text.test(shown) : !shown.includes(text),
    )
  }
  return expect.poll(missing, 'not shown').toEqual([])
}
