import type { Page } from '@playwright/test'
import { faultsFoundByAxe, loadAxeIntoEachPage } from './support/axe.ts'
import { screenSets } from './support/screens.ts'
import { openEach } from './support/stage.ts'
import { expect, test } from './support/test.ts'

/**
 * The widths in pixels at which nothing may scroll sideways, and the theme in which axe checks the
 * page there. The colours of a theme are the same at every width, and all else is the same in both
 * themes. So each width is checked in one theme, and each theme at one width. The first width is that
 * of all stories.
 */
const looks: readonly { width: number; theme?: 'light' | 'dark' }[] = [
  { width: 1280, theme: 'dark' },
  { width: 2560 },
  { width: 360, theme: 'light' },
]

/** Switches to a theme. Finishes running animations, so that axe checks the final colours. */
function show(page: Page, theme: string) {
  return page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme
    for (const running of document.getAnimations()) running.finish()
  }, theme)
}

/** Checks the open page. Leaves it in the light theme and at the width of all stories. */
async function check(page: Page, screen: string) {
  for (const { width, theme } of looks) {
    await page.setViewportSize({ width, height: 800 })
    const beyond = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(beyond, `${screen}, ${width} px wide`).toBeLessThanOrEqual(0)
    if (theme === undefined) continue
    await show(page, theme)
    expect.soft(await faultsFoundByAxe(page), `${screen}, ${theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const [set, screens] of Object.entries(screenSets)) {
  test(`${set}: axe finds nothing on any screen, and nothing scrolls sideways`, async ({
    app,
    folder,
    noise,
    page,
  }) => {
    await loadAxeIntoEachPage(page)
    await openEach(screens, { app, folder, noise, page }, (name) => check(page, name))
  })
}
