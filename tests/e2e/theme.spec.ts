import type { Page } from '@playwright/test'
import { openEach } from './support/open-screens.ts'
import { screenSets } from './support/screens.ts'
import { expect, test } from './support/test.ts'

function getTheme(page: Page) {
  return page.evaluate(() => document.documentElement.dataset.theme)
}

/** Returns the background color of <html>, or of <body> if it has none. */
function getBackgroundColor(page: Page) {
  return page.evaluate(() => {
    const [html, body] = [document.documentElement, document.body].map(
      (element) => getComputedStyle(element).backgroundColor,
    )
    return html === 'rgba(0, 0, 0, 0)' ? body : html
  })
}

const lightBackground = 'rgb(247, 246, 243)'
const darkBackground = 'rgb(17, 19, 18)'

declare global {
  interface Window {
    themeSetAt: number
  }
}

/** One screen per kind of page, in an order that lets a single browser page open them all. */
const names = [
  'landing page',
  'login',
  'download page of a dead link',
  'not found',
  'download page',
  'dashboard without files',
]

test('every page is light by default, dark when chosen, and stays dark after a reload', async ({
  app,
  folder,
  errors,
  page,
}) => {
  await page.addInitScript(() => {
    const root = new MutationObserver(() => {
      if (document.documentElement?.dataset.theme === undefined) return
      window.themeSetAt = performance.now()
      root.disconnect()
    })
    root.observe(document, { subtree: true, childList: true, attributeFilter: ['data-theme'] })
  })
  await page.emulateMedia({ colorScheme: 'dark' })
  const screens = Object.assign({}, ...Object.values(screenSets))
  const selectedScreens = Object.fromEntries(names.map((name) => [name, screens[name]]))
  await openEach(selectedScreens, { app, folder, errors, page }, async (name) => {
    expect(await getTheme(page), name).toBe('light')
    expect(await getBackgroundColor(page), name).toBe(lightBackground)

    await page.getByRole('button', { name: 'Switch to dark theme' }).click()
    await expect.poll(() => getBackgroundColor(page), name).toBe(darkBackground)
    await page.reload()
    await expect(page.getByRole('button', { name: 'Switch to light theme' })).toBeVisible()
    expect(await getTheme(page), name).toBe('dark')
    expect(await getBackgroundColor(page), name).toBe(darkBackground)
    // Browsers report the first paint with a delay.
    const paints = await page.waitForFunction(() => {
      const [paint] = performance.getEntriesByName('first-paint')
      return paint && { setAt: window.themeSetAt ?? Number.NaN, paintedAt: paint.startTime }
    })
    const { setAt, paintedAt } = (await paints.jsonValue()) ?? {}
    expect(setAt, name).toBeLessThan(paintedAt ?? 0)

    await page.getByRole('button', { name: 'Switch to light theme' }).click()
    await expect.poll(() => getBackgroundColor(page), name).toBe(lightBackground)
    expect(await page.evaluate(() => localStorage.getItem('mayfly-theme')), name).toBe('light')
    // Forget the chosen theme before opening the next screen.
    await page.evaluate(() => localStorage.removeItem('mayfly-theme'))
  })
})
