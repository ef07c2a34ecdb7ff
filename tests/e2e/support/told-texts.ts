import { expect, type Locator, type Page } from '@playwright/test'

/** The literal texts of a toast: its title and, if a test names it, its description. */
export type ToastTexts = readonly [title: string, description?: string]

interface Told {
  /** The complete texts of elements that were added to the page or have changed. */
  texts: string[]
  /** The lines of each toast at the moment when it was shown: its title, then its description. */
  toasts: string[][]
}

declare global {
  interface Window {
    told?: Told
  }
}

/**
 * From now on, each page that is opened records all texts and toasts that appear on it, even for a
 * moment.
 */
export async function keepToldTexts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told: Told = { texts: [], toasts: [] }
    window.told = told
    // The first selector finds toasts of the application, the second one those of built pages.
    const toasts = '[role=region][aria-live] [role=dialog], #toast'
    const linesOf = (toast: Element) => {
      const lines = toast.id === 'toast' ? toast.childNodes : toast.querySelectorAll('p')
      return [...lines].map(({ textContent }) => textContent ?? '')
    }
    const note = (added: Element) => {
      for (const one of [added, ...added.querySelectorAll('*')]) {
        told.texts.push((one.textContent ?? '').trim())
      }
      const around = added.closest(toasts)
      const shown = around ? [around] : added.querySelectorAll(toasts)
      for (const toast of shown) told.toasts.push(linesOf(toast))
    }
    new MutationObserver((changes) => {
      for (const { addedNodes, target, type } of changes) {
        const changed = type === 'characterData' ? [target] : addedNodes
        for (const node of changed) {
          const element = node instanceof Element ? node : node.parentElement
          if (element) note(element)
        }
      }
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/** Forgets what the page has told so far. Otherwise an earlier text could hide a missing one. */
export async function forgetToldTexts(page: Page): Promise<void> {
  await page.evaluate(() => {
    if (window.told) Object.assign(window.told, { texts: [], toasts: [] } satisfies Told)
  })
}

/**
 * Waits until the page has recorded each of these texts, as the complete text of an element. A text
 * may have disappeared again.
 */
export function expectTold(page: Page, texts: readonly string[]): Promise<void> {
  const missing = () =>
    page.evaluate((texts) => texts.filter((text) => !window.told?.texts.includes(text)), [...texts])
  return expect.poll(missing, 'not told').toEqual([])
}

/**
 * Waits until one toast has shown this title, and below it this description. It may have
 * disappeared again.
 */
export function expectToast(page: Page, [title, description]: ToastTexts): Promise<void> {
  const wanted = description === undefined ? [title] : [title, description]
  const shown = async () => {
    const toasts = await page.evaluate(() => window.told?.toasts ?? [])
    return toasts.map((lines) => lines.slice(0, wanted.length))
  }
  return expect.poll(shown, 'toasts so far').toContainEqual(wanted)
}

/**
 * Waits until a part of the page shows each of these texts: what people see, the choices of its
 * fields, and the names that screen readers tell. A string must be the complete text of an element
 * or of a piece of text in it. Otherwise the word 'Free' would also be found in other sentences. A
 * pattern is looked for in the whole part.
 */
export function expectShown(place: Locator, texts: readonly (string | RegExp)[]): Promise<void> {
  const missing = async () => {
    const [whole = '', ...pieces] = await place.evaluate((element) => {
      const tidy = (text: string | null) => (text ?? '').replaceAll(/[^\S\n]+/g, ' ').trim()
      const named = [...element.querySelectorAll('[aria-label], option')]
      const names = named.map((one) => tidy(one.getAttribute('aria-label') ?? one.textContent))
      const elements = [element, ...element.querySelectorAll('*')].filter(
        (one) => one instanceof HTMLElement && one.checkVisibility({ visibilityProperty: true }),
      )
      const pieces = elements.flatMap((one) => [
        tidy(one.textContent),
        ...[...one.childNodes].filter((node) => node instanceof Text).map(({ data }) => tidy(data)),
      ])
      // biome-ignore lint/performance/useDomNodeTextContent: a hidden text counts as missing
      const seen = element instanceof HTMLElement ? tidy(element.innerText) : ''
      return [[seen, ...names].join('\n'), ...names, ...pieces]
    })
    return texts.filter((text) =>
      text instanceof RegExp ? !text.test(whole) : !pieces.includes(text),
    )
  }
  return expect.poll(missing, 'not shown').toEqual([])
}
