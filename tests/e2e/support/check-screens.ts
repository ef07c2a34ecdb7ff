import { expect, type Page } from '@playwright/test'
import type { CheckLine } from '../../../src/shared/contract/checks.ts'
import { openAdminCenter, section } from './admin.ts'
import type { Screens } from './stage.ts'

const rule = JSON.stringify({
  CORSRules: [
    {
      AllowedOrigins: ['https://files.example.org'],
      AllowedMethods: ['PUT', 'GET', 'HEAD'],
      AllowedHeaders: ['content-type', 'content-md5'],
      ExposeHeaders: ['etag'],
    },
  ],
})

/** Lines with every status. Their names and texts are as long as possible. */
const lines: CheckLine[] = [
  { name: 'Database', status: 'ok', message: 'Postgres 18.4 answers in 2 ms.', cure: '' },
  {
    name: 'CORS',
    status: 'failing',
    message: `Browsers refuse to send files from https://files.example.org to the bucket "${'bucket-'.repeat(9)}".`,
    cure: `Write this rule to a file cors.json and give it to the bucket: ${rule}`,
  },
  {
    name: 'Mail: lost letters',
    status: 'warning',
    message: `A letter was lost in the last 7 days. To ${'a'.repeat(64)}@${'long.'.repeat(30)}example.org (signup): 550 ${'x'.repeat(200)}.`,
    cure: 'Read what the mail server said.',
  },
  {
    name: 'Jobs: files whose bytes are missing',
    status: 'failing',
    message: '2 files have no bytes in storage.',
    cure: 'Restore them from a backup.',
  },
  {
    name: 'Version',
    status: 'ok',
    message: `Mayfly 0.9.10 runs on ${'Node '.repeat(40)}.`,
    cure: '',
  },
]

function answer(page: Page, found: CheckLine[]) {
  return page.route('**/api/admin/checks', (route) => route.fulfill({ json: found }))
}

/** The screens of the checks in the Admin Center. Each function opens one screen. */
export const checkScreens: Screens = {
  'checks of every status': async ({ app, page }) => {
    await answer(page, lines)
    await openAdminCenter(page, app)
    const checks = section(page, 'Checks')
    await checks.getByRole('button', { name: 'Show what is OK (2)' }).click()
    await expect(checks.getByText('Postgres 18.4')).toBeVisible()
  },
}
