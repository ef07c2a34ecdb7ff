import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { screens } from './support/screens.ts'
import { expect, test } from './support/test.ts'

const themes = ['light', 'dark'] as const
const widths = [360, 390, 1280, 2560]
const widthsForAxe = [390, 1280]

/** Shows a theme and waits until all colours have stopped changing. */
async function show(page: Page, theme: string) {
  const moving = () =>
    page.evaluate(
      () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
    )
  await page.evaluate((theme) => {
    document.documentElement.dataset.theme = theme
  }, theme)
  await expect.poll(moving).toBe(0)
}

/** The themes differ only in colours, so all other rules are checked in one theme. */
async function faultsFoundByAxe(page: Page, theme: (typeof themes)[number]) {
  const axe = new AxeBuilder({ page })
  const { violations } = await (theme === 'light'
    ? axe
    : axe.withRules(['color-contrast', 'link-in-text-block'])
  ).analyze()
  return violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html }) => html) }))
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
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      const beyond = () =>
        page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      await expect.poll(beyond, `${width} px wide`).toBeLessThanOrEqual(0)
      if (!widthsForAxe.includes(width)) continue
      for (const theme of themes) {
        await show(page, theme)
        expect(await faultsFoundByAxe(page, theme), `${theme}, ${width} px wide`).toEqual([])
      }
    }
  })
}
