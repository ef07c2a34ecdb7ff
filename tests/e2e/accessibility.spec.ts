import type { Page } from '@playwright/test'
import { faultsFoundByAxe, loadAxeIntoEachPage } from './support/axe.ts'
import { faultsInForcedColours } from './support/forced-colours.ts'
import { mainActions } from './support/main-actions.ts'
import { screenSets } from './support/screens.ts'
import { openEach } from './support/stage.ts'
import { expect, test } from './support/test.ts'
import { openTextSize, type SetTextSize } from './support/text-size.ts'

/**
 * The widths in pixels at which nothing may scroll sideways, at 390 with text of twice the usual
 * size. If a width has a theme, axe also checks the page there in this theme. The colours of a
 * theme are the same at every width, and all else is the same in both themes. So each theme is
 * checked at one width. The first width is that of all stories.
 */
const looks: readonly { width: number; theme?: 'light' | 'dark'; text?: number }[] = [
  { width: 1280, theme: 'dark' },
  { width: 2560 },
  { width: 390, text: 2 },
  { width: 360, theme: 'light' },
]

/**
 * Switches to a theme, which changes most colours of the page. Returns what moves then, if only for
 * a moment.
 */
function show(page: Page, theme: string) {
  return page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme
    return document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 1)
      .map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target?.outerHTML : 'page'))
  }, theme)
}

/** Checks the open page. Leaves it in the light theme and at the width of all stories. */
async function check(page: Page, screen: string, setTextSize: SetTextSize) {
  for (const { width, theme, text = 1 } of looks) {
    await page.setViewportSize({ width, height: 800 })
    if (text !== 1) await setTextSize(text)
    const beyond = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect.poll(beyond, `${screen}, ${width} px wide, text × ${text}`).toBeLessThanOrEqual(0)
    if (text !== 1) await setTextSize(1)
    if (theme === undefined) continue
    expect.soft(await show(page, theme), `${screen}, ${theme}: moves`).toEqual([])
    expect.soft(await faultsFoundByAxe(page), `${screen}, ${theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  const actions = await mainActions(page)
  expect.soft(actions.slice(1), `${screen}: more main actions than '${actions[0]}'`).toEqual([])
  expect.soft(await faultsInForcedColours(page), `${screen}, forced colours`).toEqual([])
}

// The person wants no motion.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const [set, screens] of Object.entries(screenSets)) {
  test(`${set}: axe finds nothing on any screen, nothing scrolls sideways or moves, and all is seen in forced colours`, async ({
    app,
    folder,
    noise,
    page,
  }) => {
    await loadAxeIntoEachPage(page)
    const setTextSize = await openTextSize(page)
    await openEach(screens, { app, folder, noise, page }, (name) => check(page, name, setTextSize))
  })
}
