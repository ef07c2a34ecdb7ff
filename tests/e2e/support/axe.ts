import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type axe from 'axe-core'

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

/** The minified script of axe. It is less than half as long as `axe.source`, so it loads faster. */
const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Loads axe, which checks accessibility, into the open page. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(script)
}

/** Loads axe into each page that is opened from now on. */
export async function loadAxeIntoEachPage(page: Page): Promise<void> {
  await page.addInitScript({ content: script })
}

/**
 * Returns what axe finds wrong with the page as it is now.
 * @param rules the rules to check, all of them by default.
 */
export function faultsFoundByAxe(page: Page, rules?: readonly string[]): Promise<AxeFault[]> {
  return page.evaluate(async (rules) => {
    const { violations } = await window.axe.run({
      ...(rules && { runOnly: [...rules] }),
      // Our pages have no frames. Tests need only violations, and find their elements by the HTML.
      iframes: false,
      resultTypes: ['violations'],
      selectors: false,
      // Only rules about screen orientation and about sound need preloading. Our style sheets do
      // not depend on the orientation, and our pages have no sound.
      preload: false,
    })
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }))
  }, rules)
}
