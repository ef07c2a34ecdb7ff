import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { files, links, users } from '../../src/server/db/schema.ts'
import { hourInMs, mebibyte } from '../../src/shared/rules/format/units.ts'
import type { TestApp } from '../support/app-server.ts'
import { makeLink } from '../support/links.ts'
import { makePerson, type Person } from '../support/make.ts'
import { setClocks } from './support/clocks.ts'
import { fileRow, openDashboard } from './support/dashboard.ts'
import { expect, test } from './support/test.ts'

const folder = join(import.meta.dirname, '../../src/web/public-pages/landing/pictures')

/** The time in the pictures. */
const now = new Date('2026-06-09T10:20:00Z')

interface Example {
  fileNames: readonly string[]
  type: string
  /** The size of each file. */
  mebibytes: number
  title?: string
  expirationDays: string
  ageInHours: number
  downloads: number
}

const photoNames = Array.from({ length: 24 }, (_, index) => `Campaign ${index + 1}.jpg`)

/** From the oldest to the newest. */
const examples: readonly Example[] = [
  {
    fileNames: ['Floor plan, second floor.pdf'],
    type: 'application/pdf',
    mebibytes: 4.6,
    expirationDays: '3',
    ageInHours: 63,
    downloads: 5,
  },
  {
    fileNames: ['Interview, final cut.mov'],
    type: 'video/quicktime',
    mebibytes: 812,
    expirationDays: '5',
    ageInHours: 26,
    downloads: 3,
  },
  {
    fileNames: photoNames,
    type: 'image/jpeg',
    mebibytes: 7.8,
    title: 'Summer campaign, first selection',
    expirationDays: '7',
    ageInHours: 4,
    downloads: 12,
  },
]

// Hinting would move letters by up to a pixel.
test.use({
  contextOptions: { reducedMotion: 'reduce' },
  timezoneId: 'UTC',
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: [...(launchOptions.args ?? []), '--font-render-hinting=none'] }),
})

test('take the pictures of the README and the landing page', async ({ app, page }) => {
  const getDate = (ageInHours: number) => new Date(now.getTime() - ageInHours * hourInMs)
  app.clock.set(getDate(100))
  const person = { ...(await makePerson(app, { tier: 'premium' })), email: 'maya@example.org' }
  await app.deps.db
    .update(users)
    .set({ name: 'Maya Lind', firstName: 'Maya', lastName: 'Lind', email: person.email })
    .where(eq(users.id, person.id))
  const codes: string[] = []
  for (const example of examples) {
    app.clock.set(getDate(example.ageInHours))
    codes.push(await shareExample(app, person, example))
  }
  app.clock.set(now)
  await setClocks(app, [page])

  await page.goto(`/s/${codes[1]}`)
  await expect(page.getByRole('link', { name: 'Download File' })).toBeVisible()
  await takePictures(page, 'download', { width: 560, height: 460 })
  await takePictures(page, 'download-phone', { width: 360, height: 480 })

  await openDashboard(page, app, person)
  await expect(fileRow(page, 'Floor plan, second floor.pdf')).toBeVisible()
  await takePictures(page, 'dashboard', { width: 1120, height: 840 })
  await page.getByRole('tab', { name: 'My Files' }).click()
  await expect(page.getByRole('list', { name: 'My Files' })).toBeVisible()
  await takePictures(page, 'dashboard-phone', { width: 360, height: 620 })
})

async function shareExample(app: TestApp, person: Person, example: Example): Promise<string> {
  const { downloads, expirationDays, fileNames, mebibytes, title, type } = example
  const bytes = new Uint8Array([1])
  const shortCode = await makeLink(
    person,
    fileNames.map((name) => ({ name, type, bytes })),
    { expirationDays, ...(title !== undefined && { title }) },
  )
  const [link] = await app.deps.db
    .update(links)
    .set({ downloadCount: downloads })
    .where(eq(links.shortCode, shortCode))
    .returning()
  if (!link) throw new Error(`Expected the link ${shortCode}.`)
  await app.deps.db
    .update(files)
    .set({ size: Math.round(mebibytes * mebibyte), downloadCount: downloads })
    .where(eq(files.linkId, link.id))
  return shortCode
}

/** Takes pictures of the page in both themes: `<name>-light.avif` and `<name>-dark.avif`. */
async function takePictures(page: Page, name: string, size: { width: number; height: number }) {
  await mkdir(folder, { recursive: true })
  const devtools = await page.context().newCDPSession(page)
  const metrics = { ...size, deviceScaleFactor: 1.5, mobile: false }
  await devtools.send('Emulation.setDeviceMetricsOverride', metrics)
  for (const [theme, otherTheme] of [
    ['light', 'dark'],
    ['dark', 'light'],
  ]) {
    await page.mouse.move(0, 0)
    const themeButton = page.getByRole('button', { name: `Switch to ${otherTheme} theme` })
    await expect(themeButton).toBeVisible()
    await page.evaluate(() => document.fonts.ready)
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'png' })
    await sharp(Buffer.from(data, 'base64'))
      .avif({ quality: 50 })
      .toFile(join(folder, `${name}-${theme}.avif`))
    await themeButton.click()
  }
  await devtools.detach()
}
