import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { users } from '../../../../src/server/db/schema.ts'
import { makePerson } from '../../../support/make.ts'
import { openAdminCenter, section } from '../admin.ts'
import {
  alertDialog,
  banner,
  dialog,
  main,
  open,
  pressButton,
  submitForm,
  type WalkStep,
  withServerError,
} from './walk.ts'

function maintenanceSection(page: Page) {
  return section(page, 'Maintenance')
}

function settings(page: Page) {
  return section(page, 'Settings')
}

function saveLimit(label: string, value: string) {
  return submitForm({ [label]: value }, `Save ${label.toLowerCase()}`, settings)
}

/** The screens that an administrator sees, with the literal texts that each must show. */
export const administratorWalk: readonly WalkStep[] = [
  {
    at: 'Admin Center',
    perform: async ({ app, page }) => {
      await makePerson(app)
      await openAdminCenter(page, app)
    },
    expectedTexts: [
      [banner, ['Admin']],
      [main, ['Admin Center', 'Back to Dashboard']],
      [settings, ['Premium price', 'App version', 'Email signature']],
    ],
  },
  {
    at: 'acts of maintenance that fail',
    perform: withServerError(
      /\/api\/(test-email|admin\/(cleanup-expired|sanitize-filenames|expire-\w+|test-s3-\w+))$/,
      async ({ page }) => {
        const buttons = maintenanceSection(page).getByRole('button')
        await buttons.first().waitFor()
        // These buttons open a confirmation dialog.
        const destructivePattern = /^(Clean up|Sanitize|Expire)/
        for (const button of await buttons.all()) {
          const name = (await button.textContent()) ?? ''
          await button.click()
          if (!destructivePattern.test(name)) continue
          await alertDialog(page).getByRole('button', { name: destructivePattern }).click()
        }
      },
    ),
    expectedTexts: [
      [
        maintenanceSection,
        [
          'Failed to test email notification',
          'Failed to cleanup expired files',
          'Failed to sanitize filenames',
          'Failed to expire files',
          'Failed to expire trials',
          'Failed to test S3 connection',
          'Failed to get upload URL',
        ],
      ],
    ],
  },
  {
    at: 'test upload to a bucket that cannot be reached',
    perform: async (context) => {
      // The Content Security Policy blocks this host.
      context.errors.allow(/bucket\.example/)
      await context.page.route('**/api/admin/test-s3-upload', (route) =>
        route.fulfill({ json: { uploadUrl: 'http://bucket.example/key', testKey: 'key' } }),
      )
      await pressButton('Test upload: Test storage upload', maintenanceSection)(context)
    },
    expectedTexts: [[maintenanceSection, ['Direct S3 upload failed']]],
  },
  {
    at: 'change of a tier that fails',
    perform: withServerError(/\/api\/admin\/toggle-user-tier\//, pressButton(/^Make Premium: Ada/)),
    toast: ['Failed to change user tier'],
  },
  {
    at: 'deletion of a user that fails',
    perform: withServerError(/\/api\/admin\/users\/[^/]+$/, async (context) => {
      const [user] = await context.app.deps.db.select().from(users).where(eq(users.role, 'user'))
      const row = main(context.page)
        .getByRole('listitem')
        .filter({ hasText: user?.email ?? '' })
      await row.getByRole('button', { name: /^Delete/ }).click()
      await submitForm(
        { 'Type this address to delete the account': user?.email ?? '' },
        'Delete',
        dialog,
      )(context)
    }),
    toast: ['Failed to delete user'],
  },
  {
    at: 'price that is not saved',
    perform: withServerError(/\/api\/admin\/settings$/, async (context) => {
      await pressButton('Cancel', dialog)(context)
      await dialog(context.page).waitFor({ state: 'hidden' })
      await saveLimit('Premium price', '9')(context)
    }),
    toast: ['Failed to update premium price'],
  },
  {
    at: 'version that is not saved',
    perform: saveLimit('App version', 'v1'),
    toast: ['Failed to update app version'],
  },
  {
    at: 'signature that is not saved',
    perform: saveLimit('Email signature', 'We'),
    toast: ['Failed to update email signature'],
  },
  {
    at: 'dashboard',
    perform: open('/'),
    expectedTexts: [
      [banner, ['Admin']],
      [main, [/Switch to (Premium|Free)/]],
    ],
  },
]
