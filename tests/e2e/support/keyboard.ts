import type { Locator, Page } from '@playwright/test'
import { expect } from './test.ts'

const maxPresses = 40

/** Presses `key` until `target` has the focus. */
export async function tabTo(
  page: Page,
  target: Locator,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  await expect(target).toBeVisible()
  // Finding an element by its role takes longer than a key press, so find it once.
  const element = await target.elementHandle()
  for (let step = 0; step < maxPresses; step += 1) {
    if (await element?.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not reach ${target}.`)
}

export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

export async function pressOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Presses the second button of a confirmation once the dialog has moved the focus to Cancel. */
export async function confirmByKeyboard(page: Page, dialog: Locator): Promise<void> {
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
}
