import type { Page } from '@playwright/test'
import { faultsFoundByAxe, loadAxe } from './support/axe.ts'
import { screenSets } from './support/screens.ts'
import { expect, test } from './support/test.ts'

/**
 * What is looked for at each width. The themes differ only in their colours, and a colour is the same
 * at every width. So in the dark theme only the rules about colours are checked, and at one width.
 * The last width is that of all stories.
 */
const looks: { width: number; themes: Theme[] }[] = [
  { width: 360, themes: [] },
  { width: 390, themes: ['light'] },
  { width: 2560, themes: [] },
  { width: 1280, themes: ['dark', 'light'] },
]

type Theme = 'light' | 'dark'

/** The rules that axe checks in a theme; all by default. */
const rules: Partial<Record<Theme, string[]>> = { dark: ['color-contrast', 'link-in-text-block'] }

/** Switches to a theme. Finishes running animations, so that axe checks the final colours. */
function show(page: Page, theme: Theme) {
  return page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme
    for (const running of document.getAnimations()) running.finish()
  }, theme)
}

/** Checks the open page, and leaves it in the light theme and at the width of all stories. */
async function check(page: Page) {
  await loadAxe(page)
  for (const { width, themes } of looks) {
    await page.setViewportSize({ width, height: 800 })
    const beyond = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(beyond, `${width} px wide`).toBeLessThanOrEqual(0)
    for (const theme of themes) {
      await show(page, theme)
      const faults = await faultsFoundByAxe(page, rules[theme])
      expect.soft(faults, `${theme}, ${width} px wide`).toEqual([])
    }
  }
}

test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const screens of screenSets) {
  const names = Object.keys(screens).join(', ')
  test(`${names}: axe finds nothing, and nothing scrolls sideways`, async ({
    app,
    folder,
    noise,
    page,
  }) => {
    for (const [name, open] of Object.entries(screens)) {
      await test.step(name, async () => {
        await open({ app, folder, noise, page })
        await check(page)
      })
    }
  })
}
