import { expect, type Locator, type Page } from '@playwright/test'

/** A toast's title and, if given, description. */
export type ToastTexts = readonly [title: string, description?: string]

interface RecordedTexts {
  /** The full text of each element that has appeared or changed. */
  texts: string[]
  /** The lines of each toast that has been shown. */
  toasts: string[][]
}

declare global {
  interface Window {
    recorded?: RecordedTexts
  }
}

/**
 * Records the text of all elements and toasts on pages opened from now on, even if shown only
 * briefly.
 */
export async function recordPageTexts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const recorded: RecordedTexts = { texts: [], toasts: [] }
    window.recorded = recorded
    // Toasts of the app and of prerendered pages.
    const toastSelector = '[role=region][aria-live] [role=dialog], #toast'
    const getLines = (toast: Element) => {
      const lines = toast.id === 'toast' ? toast.childNodes : toast.querySelectorAll('p')
      return [...lines].map(({ textContent }) => textContent ?? '')
    }
    const recordElement = (addedElement: Element) => {
      for (const element of [addedElement, ...addedElement.querySelectorAll('*')]) {
        recorded.texts.push((element.textContent ?? '').trim())
      }
      const enclosingToast = addedElement.closest(toastSelector)
      const shownToasts = enclosingToast
        ? [enclosingToast]
        : addedElement.querySelectorAll(toastSelector)
      for (const toast of shownToasts) recorded.toasts.push(getLines(toast))
    }
    new MutationObserver((changes) => {
      for (const { addedNodes, target, type } of changes) {
        const changedNodes = type === 'characterData' ? [target] : addedNodes
        for (const node of changedNodes) {
          const element = node instanceof Element ? node : node.parentElement
          if (element) recordElement(element)
        }
      }
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/** Discards the texts recorded so far, so that later assertions can't match them. */
export async function clearPageTexts(page: Page): Promise<void> {
  await page.evaluate(() => {
    if (window.recorded)
      Object.assign(window.recorded, { texts: [], toasts: [] } satisfies RecordedTexts)
  })
}

/** Waits until each text has appeared as the full text of an element. */
export function expectPageTexts(page: Page, texts: readonly string[]): Promise<void> {
  const findMissingTexts = () =>
    page.evaluate(
      (texts) => texts.filter((text) => !window.recorded?.texts.includes(text)),
      [...texts],
    )
  return expect.poll(findMissingTexts, 'not recorded').toEqual([])
}

/** Waits until a toast has shown this title and description. */
export function expectToast(page: Page, [title, description]: ToastTexts): Promise<void> {
  const expectedTexts = description === undefined ? [title] : [title, description]
  const isShown = async () => {
    const shownToasts = await page.evaluate(() => window.recorded?.toasts ?? [])
    return shownToasts.map((lines) => lines.slice(0, expectedTexts.length))
  }
  return expect.poll(isShown, 'toasts so far').toContainEqual(expectedTexts)
}

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
