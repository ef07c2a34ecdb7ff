import type { Page } from '@playwright/test'

declare global {
  interface Window {
    noteShownText(text: string): void
  }
}

/**
 * Records all text that this page shows from now on, across navigations and even if only briefly,
 * including progress announced to screen readers.
 * @returns an array that grows as text appears.
 */
export async function recordShownTexts(page: Page): Promise<string[]> {
  const shownTexts: string[] = []
  await page.exposeFunction('noteShownText', (text: string) => void shownTexts.push(text))
  await page.addInitScript(observeTexts)
  await page.evaluate(observeTexts)
  return shownTexts
}

/** Runs in the browser, inside the page. */
function observeTexts() {
  const recordNode = (node: Node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    for (let text: Node | null = walker.currentNode; text; text = walker.nextNode()) {
      if (text instanceof Text) window.noteShownText(text.data)
    }
  }
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === 'attributes' && target instanceof Element) {
        window.noteShownText(target.getAttribute('aria-valuetext') ?? '')
      }
      if (type === 'characterData') recordNode(target)
      for (const node of addedNodes) recordNode(node)
    }
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['aria-valuetext'],
  })
}
