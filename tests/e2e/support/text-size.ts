import type { Page } from '@playwright/test'

/** The browsers' default text size in px. */
const usualSize = 16

/**
 * Sets the browser's text size to a multiple of the default, which also scales `rem`, even in media
 * queries.
 */
export type SetTextSize = (times: number) => Promise<void>

/** Returns a function that sets the text size of this page. */
export async function openTextSize(page: Page): Promise<SetTextSize> {
  const browser = await page.context().newCDPSession(page)
  return async (times) => {
    const standard = times * usualSize
    await browser.send('Page.setFontSizes', { fontSizes: { standard } })
  }
}
