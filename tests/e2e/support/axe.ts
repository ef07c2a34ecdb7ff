import type { Page } from '@playwright/test'
import axe from 'axe-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** A rule that the page breaks, and the HTML of the elements that break it. */
export interface AxeFault {
  id: string
  where: string[]
}

/**
 * Loads axe, which checks accessibility, into the open page. It stays there until another page is
 * loaded. Loading takes longer than checking. So it is loaded once, and a page is checked several
 * times.
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
      // Our pages have no frames, and only violations are needed.
      iframes: false,
      resultTypes: ['violations'],
    })
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }))
  }, rules)
}
