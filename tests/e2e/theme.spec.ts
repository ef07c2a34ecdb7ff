import type { Page } from '@playwright/test'
import { screenSets } from './support/screens.ts'
import type { Screens } from './support/stage.ts'
import { expect, test } from './support/test.ts'

function themeOf(page: Page) {
  return page.evaluate(() => document.documentElement.dataset.theme)
}

/** Returns the background colour of <html>, or of <body> if <html> has none. */
function paper(page: Page) {
  return page.evaluate(() => {
    const [html, body] = [document.documentElement, document.body].map(
      (element) => getComputedStyle(element).backgroundColor,
    )
    return html === 'rgba(0, 0, 0, 0)' ? body : html
  })
}

const light = 'rgb(247, 246, 243)'
const dark = 'rgb(17, 19, 18)'

declare global {
  interface Window {
    themeSetAt: number
  }
}

const screens: Screens = Object.assign({}, ...screenSets)

for (const name of [
  'landing page',
  'login',
  'signup with errors',
  'dashboard without files',
  'my files in every state',
  'download page',
  'download page of a dead link',
  'not found',
]) {
  test(`${name}: light at first, dark when chosen, and so after reloading`, async ({
    app,
    folder,
    noise,
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
    await screens[name]?.({ app, folder, noise, page })
    expect(await themeOf(page)).toBe('light')
    expect(await paper(page)).toBe(light)

    await page.getByRole('button', { name: 'Switch to dark theme' }).click()
    await expect.poll(() => paper(page)).toBe(dark)
    await page.reload()
    await expect(page.getByRole('button', { name: 'Switch to light theme' })).toBeVisible()
    expect(await themeOf(page)).toBe('dark')
    expect(await paper(page)).toBe(dark)
    // The browser reports that it has painted only some time later.
    const paints = await page.waitForFunction(() => {
      const [paint] = performance.getEntriesByName('first-paint')
      return paint && { setAt: window.themeSetAt ?? Number.NaN, paintedAt: paint.startTime }
    })
    const { setAt, paintedAt } = (await paints.jsonValue()) ?? {}
    expect(setAt).toBeLessThan(paintedAt ?? 0)

    await page.getByRole('button', { name: 'Switch to light theme' }).click()
    await expect.poll(() => paper(page)).toBe(light)
    expect(await page.evaluate(() => localStorage.getItem('mayfly-theme'))).toBe('light')
  })
}
