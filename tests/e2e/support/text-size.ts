import type { Page } from '@playwright/test'

/** The browser's default text size, in px. */
const defaultSizePx = 16

/**
 * Sets the browser's text size to a multiple of the default. This also scales `rem`, even in media
 * queries.
 */
export type SetTextSize = (factor: number) => Promise<void>

export async function openTextSize(page: Page): Promise<SetTextSize> {
  const browser = await page.context().newCDPSession(page)
  return async (factor) => {
    const fontSizePx = factor * defaultSizePx
    await browser.send('Page.setFontSizes', { fontSizes: { standard: fontSizePx } })
  }
}
