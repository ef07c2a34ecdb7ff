import type { Page } from '@playwright/test'
import axe from 'axe-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** One rule that a page breaks, and the elements that break it, as HTML. */
export interface AxeFault {
  id: string
  where: string[]
}

/**
 * Loads axe into the page that is open. It stays until another page is loaded. Loading costs more
 * than checking, so a page is loaded once and checked several times.
 */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axe.source)
}

/**
 * Returns what axe finds wrong with the page as it is now.
 * @param rules the rules to check, all of them by default.
 */
export function faultsFoundByAxe(page: Page, rules?: readonly string[]): Promise<AxeFault[]> {
  return page.evaluate(async (rules) => {
    const { violations } = await window.axe.run({
      ...(rules && { runOnly: [...rules] }),
      // Pages of this product have no frames, and what passes is not asked for.
      iframes: false,
      resultTypes: ['violations'],
    })
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }))
  }, rules)
}
