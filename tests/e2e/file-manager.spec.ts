import type { Link } from '../../src/shared/contract/links.ts'
import { json, makePerson } from '../support/make.ts'
import { insertFiles } from '../support/many-files.ts'
import { openDashboard } from './support/dashboard.ts'
import { confirmByKeyboard, tabTo } from './support/keyboard.ts'
import { expect, test } from './support/test.ts'

test('a premium user sorts, selects, copies and deletes many files and sets defaults, by keyboard', async ({
  app,
  context,
  page,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const person = await makePerson(app, { tier: 'premium' })
  await insertFiles(app, person.id, 120)
  await app.pool.query(
    `with downloaded as (
       update files set download_count = 3, last_download_at = $1
       where original_name = 'Report 11 of the working group.pdf' returning id, link_id),
     counted as (update links set download_count = 3 where id in (select link_id from downloaded))
     insert into file_downloads (file_id, day, count) select id, ($1 at time zone 'UTC')::date, 3 from downloaded`,
    [app.clock()],
  )
  const press = (key: string) => page.keyboard.press(key)
  const rows = page.getByRole('list', { name: 'File Manager' }).getByRole('listitem')
  const heading = page.getByRole('heading', { name: 'File Manager' })
  const dialog = page.getByRole('alertdialog')
  let requests: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/api/links') requests.push(search)
  })

  // Email notifications require an SMTP server.
  app.deps.config.smtpUrl = 'smtp://mail.example.org'
  await openDashboard(page, app, person)
  await tabTo(page, page.getByRole('tab', { name: 'Upload' }))
  for (const _ of ['My Files', 'Requests', 'File Manager']) await press('ArrowRight')
  await expect(page.getByText('120 files · 120 active links')).toBeVisible()

  await tabTo(page, page.getByRole('button', { name: 'Settings' }))
  await press('Enter')
  await tabTo(page, page.getByRole('radio', { name: '3 days' }))
  await press('ArrowRight')
  await tabTo(page, page.getByRole('switch', { name: 'Email at the first download' }))
  await press('Space')
  await tabTo(page, page.getByRole('switch', { name: 'Email before a link expires' }))
  await press('Space')
  const fetchPreferences = async () => json(await person.fetch('/api/preferences'))
  await expect
    .poll(fetchPreferences)
    .toMatchObject({ defaultExpirationDays: 5, mailOnFirstDownload: true, mailBeforeExpiry: true })

  await tabTo(page, page.getByRole('searchbox', { name: 'Search by name' }))
  await page.keyboard.type('report 11')
  await expect(page.getByText('11 links found')).toBeAttached()
  requests = []
  await tabTo(page, page.getByRole('combobox', { name: 'Sort by' }))
  await page.keyboard.type('Size')
  await expect(rows.first()).toContainText('Report 119 of')
  await tabTo(page, page.getByRole('button', { name: 'Largest first' }))
  await press('Enter')
  await expect(rows.first()).toContainText('Report 11 of')
  const makePageQuery = (sort: string) => `?limit=100&sort=${sort}`
  expect(requests).toEqual(
    ['-size', 'size'].map((sort) => `${makePageQuery(sort)}&search=report+11`),
  )

  await tabTo(page, rows.first().getByRole('button', { name: /^3 downloads, statistics of/ }))
  await press('Enter')
  const statisticsPanel = page.getByRole('region', { name: 'Statistics of Report 11 of' })
  const figureHeading = statisticsPanel.getByRole('figure').getByRole('heading')
  await expect(figureHeading).toHaveText(/^3 downloads in \d days?, all on /)
  await expect(statisticsPanel.getByText('Last download')).toBeVisible()
  await expect(statisticsPanel.getByText('None yet')).toBeHidden()
  await press('Enter')
  await expect(statisticsPanel).toBeHidden()

  await tabTo(page, page.getByRole('checkbox', { name: 'Select all files' }), 'Shift+Tab')
  await press('Space')
  await expect(page.getByText('11 selected')).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Copy 11 links' }))
  await press('Enter')
  await expect(page.getByText('11 links copied')).toBeVisible()
  const copiedText = await page.evaluate(() => navigator.clipboard.readText())
  const links = copiedText.split('\n')
  expect(links.filter((link) => link.startsWith(`${app.url}/s/`))).toHaveLength(11)
  await tabTo(page, page.getByRole('button', { name: 'Delete 11' }))
  await press('Enter')
  await expect(dialog).toContainText('Are you sure you want to delete 11 file(s)?')
  // Another client deletes one of the files in the meantime.
  const [deletedLink] = await json<Link[]>(await person.fetch('/api/links?search=report+110+of'))
  await person.fetch(`/api/links/${deletedLink?.shortCode}`, { method: 'DELETE' })
  await confirmByKeyboard(page, dialog)
  await expect(page.getByText('10 files deleted')).toBeVisible()
  await expect(page.getByText('1 was already deleted.')).toBeVisible()
  await expect(heading).toBeFocused()

  await tabTo(page, page.getByRole('searchbox', { name: 'Search by name' }))
  await press('Escape')
  // Only the first page of the list is loaded. Selecting all files loads the other pages.
  await tabTo(page, page.getByRole('checkbox', { name: 'Select all files' }))
  await press('Space')
  await expect(page.getByText('109 selected')).toBeVisible()
  // Sorting reloads only the first page of the list, but all files stay selected.
  requests = []
  await tabTo(page, page.getByRole('button', { name: 'Smallest first' }), 'Shift+Tab')
  await press('Enter')
  await expect(rows.first()).toContainText('Report 120 of')
  await expect(page.getByText('109 selected')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'Select none' })).toBeChecked()
  expect(requests).toEqual([makePageQuery('-size')])
  await tabTo(page, page.getByRole('button', { name: 'Delete 109' }))
  await press('Enter')
  await expect(dialog).toContainText('Are you sure you want to delete 109 file(s)?')
  await confirmByKeyboard(page, dialog)
  await expect(page.getByText('No files yet')).toBeVisible()
  await expect(heading).toBeFocused()
  // The list is empty at once; the last batch may still be on its way.
  await expect.poll(async () => json(await person.fetch('/api/files'))).toEqual([])

  await tabTo(page, page.getByRole('button', { name: 'Upload a file' }))
  await press('Enter')
  // The File Manager panel also has a '5 days' option while it closes, so search only the Upload
  // panel.
  const uploadPanel = page.getByRole('tabpanel', { name: 'Upload' })
  await expect(uploadPanel.getByRole('radio', { name: '5 days' })).toBeChecked()
})
