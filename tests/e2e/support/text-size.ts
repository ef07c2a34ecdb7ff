import type { Page } from '@playwright/test'

/** The text size in pixels that browsers use by default. */
const usualSize = 16

/**
 * Sets the text size as a person does in the settings of the browser. `times` is a multiple of the
 * usual size. Lengths in `rem` change too, also those in media queries.
 */
export type SetTextSize = (times: number) => Promise<void>

/** Returns a function that sets the text size of this page. Other pages keep theirs. */
export async function openTextSize(page: Page): Promise<SetTextSize> {
  const browser = await page.context().newCDPSession(page)
  return async (times) => {
    const standard = times * usualSize
    await browser.send('Page.setFontSizes', { fontSizes: { standard } })
  }
}
