import type { Page } from '@playwright/test'
import { faultsFoundByAxe, loadAxe } from './support/axe.ts'
import { screens } from './support/screens.ts'
import { expect, test } from './support/test.ts'

const widths = [360, 390, 1280, 2560]
const widthsForAxe = [390, 1280]

/**
 * The themes differ only in their colours. So in the dark theme only the rules about colours are
 * checked.
 */
const themes = [
  { theme: 'light', rules: undefined },
  { theme: 'dark', rules: ['color-contrast', 'link-in-text-block'] },
] as const

/** Switches to a theme. Finishes running animations, so that axe checks the final colours. */
function show(page: Page, theme: string) {
  return page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme
    for (const running of document.getAnimations()) running.finish()
  }, theme)
}

test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const [name, open] of Object.entries(screens)) {
  test(`${name}: axe finds nothing, and nothing scrolls sideways`, async ({
    app,
    folder,
    noise,
    page,
  }) => {
    await open({ app, folder, noise, page })
    await loadAxe(page)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      const beyond = () =>
        page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      await expect.poll(beyond, `${width} px wide`).toBeLessThanOrEqual(0)
      if (!widthsForAxe.includes(width)) continue
      for (const { theme, rules } of themes) {
        await show(page, theme)
        expect(await faultsFoundByAxe(page, rules), `${theme}, ${width} px wide`).toEqual([])
      }
    }
  })
}
