import { eq } from 'drizzle-orm'
import { files } from '../../../../src/server/db/schema.ts'
import { updateFiles } from '../../../support/file-rows.ts'
import { makeFile, makePerson } from '../../../support/make.ts'
import { openDashboard } from '../dashboard.ts'
import { writeSparseFile } from '../files.ts'
import type { ScreenContext } from '../open-screens.ts'
import {
  alertDialog,
  banner,
  chooseFile,
  main,
  open,
  pressButton,
  tab,
  type WalkStep,
  withServerError,
} from './walk.ts'

/** Opens the dashboard of a free user who has an expired and an active file. */
async function openFreeDashboard({ app, page }: ScreenContext) {
  const person = await makePerson(app)
  const expiredFile = await makeFile(person, { name: 'over.txt' })
  const expiresAt = app.clock()
  await updateFiles(app.deps.db, eq(files.id, expiredFile.id), { expiresAt })
  await makeFile(person, { name: 'open.txt' })
  await openDashboard(page, app, person)
}

/** The screens that a free user sees, with the literal texts that each must show. */
export const freeUserWalk: readonly WalkStep[] = [
  {
    at: 'dashboard',
    perform: openFreeDashboard,
    expectedTexts: [
      [banner, ['Log out', /\S+@example\.org$/m]],
      [
        main,
        [
          'Welcome back, Ada',
          'My Files',
          'File Manager',
          'Analytics',
          'Recent Files',
          '3 days (default)',
        ],
      ],
    ],
  },
  {
    at: 'upload',
    perform: (context) =>
      chooseFile(context, { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.alloc(10) }),
    toast: ['Upload Complete', 'a.txt uploaded successfully'],
    otherTexts: ['Upload completed successfully!'],
  },
  {
    at: 'upload of a file that is too large for the tier',
    perform: async (context) =>
      chooseFile(context, await writeSparseFile(context.folder, 'film.mkv', 500 * 1024 ** 2 + 1)),
    expectedTexts: [
      [
        main,
        [
          'film.mkv',
          'Unlimited files and 1GB uploads',
          'Custom expiration times',
          'Advanced analytics',
          'Custom branding',
          '$8',
          'per month',
          'Upgrade Now',
          'Continue with Free',
        ],
      ],
    ],
    otherTexts: ['File upload failed - upgrade to Premium for 1GB files and unlimited uploads'],
  },
  {
    at: 'upgrade that fails',
    perform: withServerError(/\/api\/auth\/toggle-premium$/, pressButton('Upgrade Now')),
    toast: ['Error', 'Failed to change tier. Please try again.'],
  },
  {
    at: 'trial that fails',
    perform: withServerError(/\/api\/auth\/start-trial$/, pressButton('Start trial')),
    toast: ['Failed to start trial'],
  },
  {
    at: 'My Files',
    perform: tab('My Files'),
    expectedTexts: [[main, ['Expired & deleted', '3 days left', 'Copy', 'Clear expired history']]],
  },
  {
    at: 'question before clearing the history',
    perform: pressButton('Clear expired history'),
    expectedTexts: [
      [alertDialog, ['Are you sure you want to delete 1 file(s)? This action cannot be undone.']],
    ],
  },
  {
    at: 'history that is not cleared',
    perform: withServerError(/\/api\/files\/expired\/bulk$/, async (context) => {
      await pressButton('Delete', alertDialog)(context)
      await alertDialog(context.page).waitFor({ state: 'hidden' })
    }),
    toast: ['Delete failed', 'Failed to delete expired files. Please try again.'],
  },
  {
    at: 'deletion that fails',
    perform: withServerError(/\/api\/links\/\w{10}$/, async (context) => {
      await pressButton('Delete open.txt')(context)
      await pressButton('Delete', alertDialog)(context)
    }),
    toast: ['Delete failed', 'Failed to delete file. Please try again.'],
  },
  { at: 'File Manager', perform: tab('File Manager'), expectedTexts: [[main, ['Upgrade Now']]] },
  { at: 'Analytics', perform: tab('Analytics'), expectedTexts: [[main, ['Upgrade Now']]] },
  {
    at: 'Admin Center',
    perform: open('/admin'),
    expectedTexts: [[main, ['Admin Access Required', 'Go to Dashboard']]],
  },
  { at: 'landing page', perform: open('/preview'), expectedTexts: [[main, ['Get Started']]] },
]
