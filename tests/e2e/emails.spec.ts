import { readdir } from 'node:fs/promises'
import { renderEmail } from '../../src/server/email/render-email.ts'
import { findAxeViolations, loadAxe } from './support/axe.ts'
import { emails } from './support/emails.ts'
import { expect, test } from './support/test.ts'

/** The background color that every email must have in light and dark email clients. */
const backgrounds = { light: 'rgb(247, 246, 243)', dark: 'rgb(17, 19, 18)' } as const

test('every email is readable in light and dark email clients', async ({ page }) => {
  const templateFiles = await readdir(new URL('../../src/server/email/templates/', import.meta.url))
  const files = templateFiles.filter((file) => !file.endsWith('.test.ts'))
  expect(Object.keys(emails).sort()).toEqual(files.map((file) => file.replace('.ts', '')).sort())

  const footer = { signature: 'Yours,\nthe people here', supportEmail: 'support@example.org' }
  for (const [templateFile, contents] of Object.entries(emails)) {
    for (const content of contents) {
      await page.setContent(renderEmail(content, footer).html)
      await loadAxe(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expect(page.locator('body')).toHaveCSS('background-color', backgrounds[colorScheme])
        const violations = await findAxeViolations(page, ['color-contrast', 'link-in-text-block'])
        expect(violations, `${templateFile}, ${colorScheme}: ${content.subject}`).toEqual([])
      }
    }
  }
})
