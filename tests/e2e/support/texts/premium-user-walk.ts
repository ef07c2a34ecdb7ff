import { expect } from '@playwright/test'
import { makeFile } from '../../../support/make.ts'
import { fileRow, openDashboard } from '../dashboard.ts'
import { longName, makeFilesInAllStates } from '../file-screens.ts'
import { writeSparseFile } from '../files.ts'
import { storeUploadRecords } from '../left-uploads.ts'
import type { ScreenContext } from '../open-screens.ts'
import { uploadsPanel } from '../uploads.ts'
import {
  alertDialog,
  banner,
  chooseFile,
  dialog,
  main,
  pressButton,
  tab,
  type WalkStep,
  withBadRequest,
  withServerError,
} from './walk.ts'

function uploadNote(context: ScreenContext) {
  return chooseFile(context, { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.alloc(10) })
}

/** Reloads the page with a phone's user agent. On phones, every upload runs in the background. */
async function emulatePhone({ page }: ScreenContext) {
  await page.addInitScript(() => Object.defineProperty(navigator, 'userAgent', { value: 'Mobile' }))
  await page.reload()
}

/** The screens that a premium user sees, with the literal texts that each must show. */
export const premiumUserWalk: readonly WalkStep[] = [
  {
    at: 'dashboard, with uploads of every status',
    perform: async ({ app, page }) => {
      const person = await makeFilesInAllStates(app)
      await makeFile(person, { name: 'film.mp4', type: 'video/mp4' })
      await makeFile(person, { name: 'song.mp3', type: 'audio/mpeg' })
      await storeUploadRecords(page, person.id)
      await openDashboard(page, app, person)
    },
    expectedTexts: [
      [banner, ['Premium']],
      [
        uploadsPanel,
        [
          /\bUpload paused\b/,
          'Resume',
          'Clear',
          'Paused',
          'Failed',
          'Upload failed with status 403',
          'Resume failed - file data lost. Please restart upload.',
        ],
      ],
    ],
  },
  {
    at: 'upload of a file that is too large',
    perform: async (context) =>
      chooseFile(context, await writeSparseFile(context.folder, 'disk.img', 1024 ** 3 + 1)),
    expectedTexts: [
      [
        main,
        [
          'disk.img',
          /\bzip\b/,
          /\b7z\b/,
          /\bparts\b/,
          /cloud storage for files over 1GB/,
          'Try Another File',
        ],
      ],
    ],
  },
  {
    at: 'My Files',
    perform: tab('My Files'),
    expectedTexts: [
      [
        main,
        [
          '7 days left',
          /\b\d+ hours left/,
          'Less than 1 hour left',
          /Private \(\d+ days to renew\)/,
          'Permanently expired',
          'Renew',
        ],
      ],
    ],
  },
  {
    at: 'renewal that fails',
    perform: withServerError(/\/renew$/, async (context) => {
      await fileRow(context.page, longName).getByRole('button', { name: 'Renew' }).click()
      await pressButton('Renew', dialog)(context)
    }),
    toast: ['Renewal failed', 'Failed to renew the file link. Please try again.'],
  },
  {
    at: 'link that is not copied',
    perform: async ({ page }) => {
      // The dialog ignores Escape until it shows that the renewal failed, so press Cancel.
      await dialog(page).getByRole('button', { name: 'Cancel' }).click()
      await dialog(page).waitFor({ state: 'hidden' })
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined })
        document.execCommand = () => false
      })
      await fileRow(page, longName).getByRole('button', { name: 'Copy' }).click()
    },
    toast: ['Copy failed', 'Failed to copy link to clipboard.'],
  },
  {
    at: 'File Manager',
    perform: async (context) => {
      await tab('File Manager')(context)
      await context.page.getByRole('checkbox', { name: 'Select all files' }).click()
    },
    expectedTexts: [[main, [/^8 selected\b/m, 'Sort by', 'Settings', 'Copy 6 links']]],
  },
  {
    at: 'question before deleting files',
    perform: pressButton('Delete 8'),
    expectedTexts: [
      [alertDialog, ['Are you sure you want to delete 8 file(s)? This action cannot be undone.']],
    ],
  },
  {
    at: 'files that are not deleted',
    perform: withServerError(/\/api\/files\/bulk$/, pressButton('Delete', alertDialog)),
    toast: ['Error', 'Failed to delete files. Please try again.'],
  },
  {
    at: 'Analytics',
    perform: async (context) => {
      await alertDialog(context.page).waitFor({ state: 'hidden' })
      await tab('Analytics')(context)
    },
    expectedTexts: [
      [
        main,
        [
          'Images',
          'Videos',
          'Audio',
          'PDFs',
          'Archives',
          'Documents',
          'Expiring soon',
          'within 24 hours',
        ],
      ],
    ],
  },
  {
    at: 'upload whose start is refused',
    perform: async (context) => {
      await tab('Upload')(context)
      await withBadRequest(/\/api\/files\/get-upload-url$/, uploadNote)(context)
    },
    toast: ['Upload Error', 'Failed to get upload URL'],
  },
  {
    at: 'upload that is not confirmed',
    perform: withBadRequest(/\/api\/files\/confirm-upload$/, uploadNote),
    toast: ['Upload Failed', 'Failed to confirm upload'],
  },
  {
    at: 'upload in the background that is not confirmed',
    perform: async (context) => {
      await emulatePhone(context)
      await withBadRequest(/\/api\/files\/confirm-upload$/, uploadNote, 'Not now.')(context)
    },
    expectedTexts: [[uploadsPanel, ['Upload confirmation failed: 400 - Not now.']]],
    toast: ['Upload Failed', 'Upload confirmation failed: 400 - Not now.'],
  },
  {
    at: 'upload whose storage is not reached',
    perform: async (context) => {
      const { errors, page } = context
      errors.expect(/ERR_FAILED/)
      await page.route('**/storage/**', (route) => route.abort())
      await page.clock.install()
      await uploadNote(context)
      // The upload fails after eight attempts, which are at most 39 s apart.
      const errorText = uploadsPanel(page).getByText('Network error during upload')
      await expect(async () => {
        await page.clock.fastForward(40_000)
        await expect(errorText).toBeVisible({ timeout: 100 })
      }).toPass({ intervals: [100] })
    },
    toast: ['Upload Failed', 'Network error during upload'],
  },
  {
    at: 'upload in the background that a fault of the browser ends',
    perform: async (context) => {
      context.errors.expect(/^page error: Error: out of order/)
      await context.page.evaluate(() => {
        Blob.prototype.slice = () => {
          throw new Error('out of order')
        }
      })
      await uploadNote(context)
    },
    expectedTexts: [[uploadsPanel, ['Upload failed']]],
    toast: ['Upload Failed', 'Failed to upload note.txt'],
  },
]
