import { renderEmail } from '../../src/server/email/render-email.ts'
import { takedownEmail } from '../../src/server/email/templates/files.ts'
import { linkEmail } from '../../src/server/email/templates/links.ts'
import { trialEndsEmail } from '../../src/server/email/templates/trial.ts'
import { defaultLimits } from '../../src/shared/rules/tiers/tier-limits.ts'
import { findAxeViolations, loadAxe } from './support/axe.ts'
import { expect, test } from './support/test.ts'

/** The background color that every email must have in light and dark email clients. */
const backgrounds = { light: 'rgb(247, 246, 243)', dark: 'rgb(17, 19, 18)' } as const

/** Emails that together have every kind of content: text, lists, quotes, buttons and a link. */
const emails = [
  {
    ...linkEmail({
      sender: { name: 'Ada', email: 'ada@example.org', brand: 'Lovelace & Co' },
      message: 'As promised.\nRead page 3.',
      files: { name: 'minutes.pdf and 2 more', count: 3, size: '12 MB' },
      endsAt: 'Tue 24 Nov 2026, 14:02 UTC',
      url: 'https://files.example.org/s/k7RmTq9XbW',
      host: 'files.example.org',
      optOutUrl: 'https://files.example.org/opt-out/a',
    }),
    brand: { name: 'Lovelace & Co', accent: '#ffd400', logo: null },
  },
  takedownEmail({
    name: 'Ada',
    fileNames: ['a.pdf', 'b.pdf'],
    count: 2,
    reason: 'It is malware.\nThree scanners say so.',
    takenDownAt: 'Tue 24 Nov 2026, 14:02 UTC',
    supportEmail: 'support@example.org',
  }),
  trialEndsEmail(
    {
      name: 'Ada',
      endsAt: 'Tue 24 Nov 2026, 14:02 UTC',
      limits: defaultLimits.free,
      dashboard: 'https://files.example.org/',
    },
    '3 days',
  ),
]

test('emails are readable in light and dark email clients', async ({ page }) => {
  const footer = { signature: 'Yours,\nthe people here', supportEmail: 'support@example.org' }
  for (const email of emails) {
    await page.setContent(renderEmail(email, footer).html)
    await loadAxe(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expect(page.locator('body')).toHaveCSS('background-color', backgrounds[colorScheme])
      const violations = await findAxeViolations(page, ['color-contrast', 'link-in-text-block'])
      expect(violations, `${colorScheme}: ${email.subject}`).toEqual([])
    }
  }
})
