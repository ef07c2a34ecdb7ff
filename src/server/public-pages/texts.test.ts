import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  attributeOf,
  findElements,
  type ParsedPage,
  parsePage,
  textOf,
} from '../../../tests/support/html.ts'
import { makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { settings } from '../db/schema.ts'

/** Tests the text pages as they appear in a browser without JavaScript. */

const supportEmail = "o'neil+help@example.org"
const privacyEmail = 'privacy@example.org'

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp({ env: { SUPPORT_EMAIL: supportEmail, PRIVACY_EMAIL: privacyEmail } })
  admin = await makePerson(app, { role: 'admin' })
})
beforeEach(async () => {
  await app.deps.db.delete(settings)
  app.deps.settings.clearCache()
})
afterAll(() => app.close())

async function fetchPage(path: string): Promise<ParsedPage> {
  const response = await makeClient(app).fetch(path, { headers: { accept: 'text/html' } })
  expect(response.status).toBe(200)
  return parsePage(await response.text())
}

function getMainText(page: ParsedPage): string {
  return textOf(page.findOne('main')).replaceAll(/\s+/g, ' ')
}

function findLinkTargets(page: ParsedPage): (string | undefined)[] {
  return findElements(page.findOne('main'), 'a').map((a) => attributeOf(a, 'href'))
}

describe('the FAQ', () => {
  it('has the six categories of spec §2 in order, each with answers', async () => {
    const page = await fetchPage('/faq')
    const categories = findElements(page.findOne('main'), 'section')
      .map((section) => ({
        title: textOf(findElements(section, 'h2')[0]),
        answers: findElements(section, 'details').length,
      }))
      .filter(({ answers }) => answers > 0)
    expect(categories.map(({ title }) => title)).toEqual([
      'Getting Started',
      'Security & Privacy',
      'File Management',
      'Premium Features',
      'Technical Questions',
      'Account & Billing',
    ])
    for (const { answers } of categories) expect(answers).toBeGreaterThanOrEqual(4)
  })

  it('shows one answer at a time through a shared `name` attribute', async () => {
    const page = await fetchPage('/faq')
    const detailsElements = page.findAll('details')
    expect(new Set(detailsElements.map((element) => attributeOf(element, 'name')))).toEqual(
      new Set(['faq']),
    )
    for (const element of detailsElements) {
      expect(attributeOf(element, 'open')).toBeUndefined()
      expect(textOf(element).length).toBeGreaterThan(40)
    }
  })

  it('links home, and to the two email addresses for further questions', async () => {
    const page = await fetchPage('/faq')
    expect(getMainText(page)).toContain('Back to home')
    expect(getMainText(page)).toContain('Still have questions?')
    const card = findElements(page.findOne('main'), 'section').find((section) =>
      textOf(section).startsWith('Still have questions?'),
    )
    const addresses = card && findElements(card, 'a').map((a) => attributeOf(a, 'href'))
    expect(addresses).toEqual([`mailto:${supportEmail}`, `mailto:${privacyEmail}`])
  })

  it('states the limits of both tiers, and that failed uploads retry', async () => {
    const shownText = getMainText(await fetchPage('/faq'))
    for (const text of [
      'up to 500MB each with Free, up to 1GB each with Premium',
      'With Free for 3 days, with Premium for 3, 5 or 7 days',
      'No file stays longer than 30 days',
      'Failed uploads retry automatically',
      '$8 per month',
      'Mayfly does not encrypt files',
    ]) {
      expect(shownText).toContain(text)
    }
  })
})

describe('the terms and the privacy policy', () => {
  it.each(['/terms', '/privacy'])(
    '%s: shows the date July 12, 2025, and the contact addresses',
    async (path) => {
      const page = await fetchPage(path)
      expect(getMainText(page)).toContain('Last updated July 12, 2025')
      expect(attributeOf(page.findAll('time')[0], 'datetime')).toBe('2025-07-12')
      const links = findLinkTargets(page)
      expect(links).toContain(`mailto:${supportEmail}`)
      expect(links).toContain(`mailto:${privacyEmail}`)
      expect(getMainText(page)).toContain(app.url)
    },
  )
})

describe('every text page', () => {
  it.each(['/faq', '/terms', '/privacy', '/feedback'])(
    '%s: has unique ids, and its fragment links exist',
    async (path) => {
      const page = await fetchPage(path)
      const ids = page.allElements().flatMap((element) => attributeOf(element, 'id') ?? [])
      expect(new Set(ids).size).toBe(ids.length)
      for (const link of findLinkTargets(page)) {
        if (link?.startsWith('#')) expect(ids).toContain(link.slice(1))
      }
    },
  )

  it.each(['/faq', '/terms', '/privacy', '/feedback'])(
    '%s: links only to existing pages',
    async (path) => {
      const page = await fetchPage(path)
      for (const link of new Set(findLinkTargets(page))) {
        if (!link?.startsWith('/')) continue
        const response = await makeClient(app).fetch(link, { headers: { accept: 'text/html' } })
        expect(response.status, link).toBe(200)
        const fragment = link.split('#')[1]
        if (fragment) expect(await response.text()).toContain(`id="${fragment}"`)
      }
    },
  )

  it.each(['/faq', '/terms'])('%s: shows the current price from the settings', async (path) => {
    await admin.post('/api/admin/settings', { key: 'premium_price', value: '12.5' })
    const shownText = getMainText(await fetchPage(path))
    expect(shownText).toContain('$12.50 per month')
    expect(shownText).not.toContain('$8')
  })
})
