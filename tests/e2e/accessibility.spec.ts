import type { Page } from '@playwright/test'
import { axeViolations, loadAxeIntoEachPage } from './support/axe.ts'
import { forcedColorsProblems } from './support/forced-colors.ts'
import { mainActions } from './support/main-actions.ts'
import { openEach } from './support/open-screens.ts'
import { screenSets } from './support/screens.ts'
import { expect, test } from './support/test.ts'
import { openTextSize, type SetTextSize } from './support/text-size.ts'

/**
 * Widths at which nothing may scroll sideways, at 390 px with doubled text size. Where a theme is
 * given, axe checks the page in it; one width per theme is enough, because colors don't depend on
 * the width. The first width is that of all stories.
 */
const looks: readonly { width: number; theme?: 'light' | 'dark'; text?: number }[] = [
  { width: 1280, theme: 'dark' },
  { width: 2560 },
  { width: 390, text: 2 },
  { width: 360, theme: 'light' },
]

/** Switches to a theme. Returns what moves, if only for a moment. */
function show(page: Page, theme: string) {
  return page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme
    return document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 1)
      .map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target?.outerHTML : 'page'))
  }, theme)
}

/** Checks the open page. Leaves it in the light theme at the default width. */
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
    expect.soft(await axeViolations(page), `${screen}, ${theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  const actions = await mainActions(page)
  expect.soft(actions.slice(1), `${screen}: more main actions than '${actions[0]}'`).toEqual([])
  expect.soft(await forcedColorsProblems(page), `${screen}, forced colors`).toEqual([])
}

// The person wants no motion.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const [set, screens] of Object.entries(screenSets)) {
  test(`${set}: every screen passes axe, never scrolls sideways or moves, and works in forced colors`, async ({
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
