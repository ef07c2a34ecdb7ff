import type { Page } from '@playwright/test'

declare global {
  interface Window {
    shownTexts: string[]
  }
}

/**
 * Notes every text that the page shows from now on, in order, however shortly it shows it. Answers
 * how to read them.
 */
export const recordTexts = async (page: Page): Promise<() => Promise<string[]>> => {
  await page.evaluate(() => {
    const texts: string[] = []
    window.shownTexts = texts
    const note = (node: Node) => {
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
      for (let text: Node | null = walker.currentNode; text; text = walker.nextNode()) {
        if (text instanceof Text) texts.push(text.data)
      }
    }
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) {
        if (type === 'characterData') note(target)
        for (const node of addedNodes) note(node)
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  return () => page.evaluate(() => window.shownTexts)
}
