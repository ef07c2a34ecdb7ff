import type { Page } from '@playwright/test'
import { makeFile, makePerson } from '../support/make.ts'
import { openDashboard } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

function getTheme(page: Page) {
  return page.evaluate(() => document.documentElement.dataset.theme)
}

/** Waits until the landing page shows its two pictures of this theme, and no other. */
async function expectPictures(page: Page, theme: 'light' | 'dark') {
  const shownPictures = page.locator('picture:visible')
  await expect(shownPictures).toHaveCount(2)
  for (const picture of await shownPictures.all()) {
    await picture.scrollIntoViewIfNeeded()
    const url = () =>
      picture
        .locator('img')
        .evaluate((image: HTMLImageElement) => image.complete && image.currentSrc)
    await expect.poll(url).toMatch(new RegExp(`-${theme}-[\\w-]+\\.avif$`))
  }
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

test('the landing page loads only the pictures of the current theme', async ({ page }) => {
  const loadedPictures: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('.avif')) loadedPictures.push(request.url())
  })
  await page.goto('/')
  await expectPictures(page, 'light')
  expect(loadedPictures.join()).not.toContain('-dark-')
  await page.getByRole('button', { name: 'Switch to dark theme' }).click()
  await expectPictures(page, 'dark')
  expect(loadedPictures).toHaveLength(4)
})

test('every kind of page is light by default, dark when chosen, and stays dark after a reload', async ({
  app,
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
  const person = await makePerson(app)
  const { shortCode } = await makeFile(person)
  const pages = [
    ['the landing page', () => page.goto('/')],
    ['a download page', () => page.goto(`/s/${shortCode}`)],
    ['the dashboard', () => openDashboard(page, app, person)],
  ] as const
  for (const [name, open] of pages) {
    await open()
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
    // Forget the chosen theme before opening the next page.
    await page.evaluate(() => localStorage.removeItem('mayfly-theme'))
  }
})
