import type { Page } from '@playwright/test'
import { findAxeViolations, loadAxeIntoEachPage } from './support/axe.ts'
import { findForcedColorsProblems } from './support/forced-colors.ts'
import { findMainActions } from './support/main-actions.ts'
import { openEach } from './support/open-screens.ts'
import { screenSets } from './support/screens.ts'
import { expect, test } from './support/test.ts'
import { openTextSize, type SetTextSize } from './support/text-size.ts'

/** The axe rules whose result depends on the theme or the width. */
const displayRules = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable']

/**
 * No screen may scroll sideways in any of these display modes. The first one is the default. axe
 * runs once per theme, because colors don't depend on the width.
 */
const displayModes: readonly {
  width: number
  theme?: 'light' | 'dark'
  /** Which of axe's rules to check, by default all. */
  rules?: readonly string[]
  text?: number
}[] = [
  { width: 1280, theme: 'dark' },
  { width: 390, text: 2 },
  { width: 360, theme: 'light', rules: displayRules },
]

/** Switches the theme. Returns the elements that start an animation or transition as a result. */
function switchTheme(page: Page, theme: string) {
  return page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme
    return document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 1)
      .map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target?.outerHTML : 'page'))
  }, theme)
}

/** Checks the current screen. Leaves the viewport at 1280 px. */
async function check(page: Page, screen: string, setTextSize: SetTextSize) {
  for (const { width, theme, rules, text = 1 } of displayModes) {
    await page.setViewportSize({ width, height: 800 })
    if (text !== 1) await setTextSize(text)
    const measureOverflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await expect
      .poll(measureOverflow, `${screen}, ${width} px wide, text × ${text}`)
      .toBeLessThanOrEqual(0)
    if (text !== 1) await setTextSize(1)
    if (theme === undefined) continue
    expect.soft(await switchTheme(page, theme), `${screen}, ${theme}: moves`).toEqual([])
    expect.soft(await findAxeViolations(page, rules), `${screen}, ${theme}`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  const actions = await findMainActions(page)
  expect.soft(actions.slice(1), `${screen}: more main actions than '${actions[0]}'`).toEqual([])
  expect.soft(await findForcedColorsProblems(page), `${screen}, forced colors`).toEqual([])
}

test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const [set, screens] of Object.entries(screenSets)) {
  test(`${set}: every screen passes axe, has no sideways scrolling or motion, and works in forced colors`, async ({
    app,
    folder,
    errors,
    page,
  }) => {
    await loadAxeIntoEachPage(page)
    const setTextSize = await openTextSize(page)
    await openEach(screens, { app, folder, errors, page }, (name) => check(page, name, setTextSize))
  })
}
