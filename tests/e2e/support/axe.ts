import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type axe from 'axe-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** A violated rule and the HTML of the elements that violate it. */
export interface AxeViolation {
  id: string
  where: string[]
}

/** The minified script loads faster than the one in `axe.source`. */
const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(script)
}

/** Loads axe into every page opened from now on. */
export async function loadAxeIntoEachPage(page: Page): Promise<void> {
  await page.addInitScript({ content: script })
}

/**
 * Returns axe's violations on the current page.
 * @param rules the rules to check, by default all.
 */
export function findAxeViolations(page: Page, rules?: readonly string[]): Promise<AxeViolation[]> {
  return page.evaluate(async (rules) => {
    // What is behind an open dialog can't be reached, and is checked without the dialog.
    const context = { exclude: ['[data-base-ui-inert]'] }
    const { violations } = await window.axe.run(context, {
      ...(rules && { runOnly: [...rules] }),
      // Our pages have no frames, and tests need only violations.
      iframes: false,
      resultTypes: ['violations'],
      selectors: false,
      // Assets need preloading only for rules about orientation and audio.
      preload: false,
    })
    return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }))
  }, rules)
}
