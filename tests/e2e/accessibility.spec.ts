import type { Page } from '@playwright/test'
import { findAxeViolations, loadAxeIntoEachPage } from './support/axe.ts'
import { expectShown } from './support/expect-shown.ts'
import { findForcedColorsProblems } from './support/forced-colors.ts'
import { findMainActions } from './support/main-actions.ts'
import { openEach } from './support/open-screens.ts'
import { screenTexts } from './support/screen-texts.ts'
import { screenSets } from './support/screens.ts'
import { expect, test } from './support/test.ts'
import { openTextSize, type SetTextSize } from './support/text-size.ts'

/** On a phone with text of twice the usual size, the least fits side by side. */
async function expectToFitPhone(page: Page, screen: string, setTextSize: SetTextSize) {
  await page.setViewportSize({ width: 390, height: 800 })
  await setTextSize(2)
  const measureOverflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  await expect.poll(measureOverflow, `${screen}, on a phone`).toBeLessThanOrEqual(0)
  await setTextSize(1)
  await page.setViewportSize({ width: 1280, height: 800 })
}

// An animation would change colors while axe reads them.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const [set, screens] of Object.entries(screenSets)) {
  test(`${set}: every screen has its texts, passes axe, fits a phone and works in forced colors`, async ({
    app,
    folder,
    errors,
    page,
  }) => {
    await loadAxeIntoEachPage(page)
    const setTextSize = await openTextSize(page)
    await openEach(screens, { app, folder, errors, page }, async (screen) => {
      for (const [where, texts] of screenTexts[screen] ?? []) await expectShown(where(page), texts)
      // In the light theme, which is the default, contrasts are lower than in the dark theme.
      expect.soft(await findAxeViolations(page), screen).toEqual([])
      const actions = await findMainActions(page)
      expect.soft(actions.slice(1), `${screen}: more main actions than '${actions[0]}'`).toEqual([])
      expect.soft(await findForcedColorsProblems(page), `${screen}, forced colors`).toEqual([])
      await expectToFitPhone(page, screen, setTextSize)
    })
  })
}
