import type { Page } from '@playwright/test'

/** The size of text in pixels that browsers have set, until a person chooses another. */
const usualSize = 16

/**
 * Sets the size of text as a person does in the settings of the browser, in parts of the usual one.
 * Also what media queries count in `rem` follows it.
 */
export type SetTextSize = (times: number) => Promise<void>

/** Prepares a page for other sizes of text. They end with the page. */
export async function openTextSize(page: Page): Promise<SetTextSize> {
  const browser = await page.context().newCDPSession(page)
  return async (times) => {
    const standard = times * usualSize
    await browser.send('Page.setFontSizes', { fontSizes: { standard } })
  }
}
