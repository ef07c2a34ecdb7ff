import type { Locator, Page } from '@playwright/test'
import { expect } from './test.ts'

const mostSteps = 40

function hasFocus(target: Locator) {
  return target.evaluate((element) => element === document.activeElement)
}

/** Presses Tab until an element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let step = 0; step < mostSteps; step += 1) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}.`)
}
