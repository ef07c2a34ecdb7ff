import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { attributeOf, findElements, parsePage, textOf } from '../../../tests/support/html.ts'
import { makeLink } from '../../../tests/support/links.ts'
import { makeClient, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { listReports } from '../../../tests/support/takedowns.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { reportChoiceNames } from '../../shared/rules/links/report.ts'
import { reports } from '../db/schema.ts'

/** These tests submit the form the way a browser without JavaScript does. */

let app: TestApp
let admin: Person
let owner: Person
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on' } })
  admin = await makePerson(app, { role: 'admin' })
  owner = await makePerson(app, { tier: 'premium' })
})
beforeEach(async () => {
  await app.deps.db.delete(reports)
  app.clock.advance(60 * 60_000)
})
afterAll(() => app.close())

async function openReportPage(code: string) {
  const response = await makeClient(app).fetch(`/s/${code}/report`)
  return { answer: response, page: parsePage(await response.text()) }
}

async function submitReport(code: string, fields: Record<string, string>, headers = {}) {
  const response = await makeClient(app).fetch(`/s/${code}/report`, {
    method: 'POST',
    headers: { origin: app.url, ...headers },
    body: new URLSearchParams(fields),
  })
  return { answer: response, page: parsePage(await response.text()) }
}

describe('the report page', () => {
  it('names a link of several files by its title or its first file', async () => {
    const files = ['one.txt', 'two.txt'].map((name) => ({ name, bytes: new Uint8Array(9) }))
    const readName = async (code: string) =>
      textOf(
        findElements((await openReportPage(code)).page.findOne('p', { class: 'lead' }), 'b')[0],
      )
    expect(await readName(await makeLink(owner, files))).toBe('one.txt and 1 more')
    expect(await readName(await makeLink(owner, files, { title: 'Plans' }))).toBe('Plans')
    const lockedCode = await makeLink(owner, files, { title: 'Plans', password: 'secret' })
    expect(await readName(lockedCode)).toBe('This link')
  })

  it('is linked from the download page and has a form that submits to its own URL', async () => {
    const name = `<b>"x"</b>'s {{name}}.zip`
    const { shortCode } = await makeFile(owner, { name: 'minutes.pdf' })
    const downloadPageResponse = await makeClient(app).fetch(`/s/${shortCode}`, {
      headers: { accept: 'text/html' },
    })
    const link = parsePage(await downloadPageResponse.text()).findOne('a', { id: 'report' })
    expect(attributeOf(link, 'href')).toBe(`/s/${shortCode}/report`)
    expect(textOf(link)).toBe('Report this file')

    await app.pool.query(
      'update files set original_name = $1 from links where links.id = link_id and short_code = $2',
      [name, shortCode],
    )
    const { answer: response, page } = await openReportPage(shortCode)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(response.headers.get('content-security-policy')).not.toContain('unsafe-')
    expect(textOf(page.findOne('h1'))).toBe('Report this file')
    expect(textOf(page.findOne('p', { class: 'lead' }))).toContain(name)
    const form = page.findOne('form')
    expect(attributeOf(form, 'method')).toBe('post')
    expect(attributeOf(form, 'action')).toBeUndefined()
    const radioButtons = page
      .findAll('input')
      .filter((element) => attributeOf(element, 'name') === 'choice')
    expect(radioButtons.map((element) => attributeOf(element, 'type'))).toEqual(
      Array(4).fill('radio'),
    )
    expect(radioButtons.map((element) => attributeOf(element, 'checked'))).toEqual(
      Array(4).fill(undefined),
    )
    expect(page.toHtml()).not.toMatch(/\{\{(?!name)|undefined|role="alert">[^<]/)
  })

  it('says thank you and links back to the file', async () => {
    const { shortCode } = await makeFile(owner)
    const { answer: response, page } = await submitReport(shortCode, {
      choice: 'malware',
      words: 'A trap',
      email: 'ada@example.org',
      website: '',
    })
    expect(response.status).toBe(200)
    expect(textOf(page.findOne('h1'))).toBe('Thank you')
    expect(page.findAll('form')).toEqual([])
    const links = page.findAll('a').map((a) => attributeOf(a, 'href'))
    expect(links).toContain(`/s/${shortCode}`)
    expect(await listReports(admin)).toMatchObject([
      {
        count: 1,
        statements: [
          {
            reason: 'Malware: A trap',
            email: 'ada@example.org',
            isSuspect: false,
          },
        ],
      },
    ])
  })

  it.each([
    [{}, 'Please choose what is wrong with the file.'],
    [{ words: 'A trap' }, 'Please choose what is wrong with the file.'],
    [{ choice: 'toString', words: 'A trap' }, 'Please choose what is wrong with the file.'],
    [{ choice: 'other' }, 'Please say what is wrong with the file.'],
    [{ choice: 'other', words: ' ' }, 'Please say what is wrong with the file.'],
    [{ choice: 'foreign', words: 'x'.repeat(901) }, 'Please use at most 900 characters.'],
    [{ choice: 'illegal', words: 'A <trap>', email: 'ada' }, 'Please enter a valid email address.'],
  ])('shows the form again with the previous input: %j', async (fields, error) => {
    const { shortCode } = await makeFile(owner)
    const { answer: response, page } = await submitReport(shortCode, fields)
    expect(response.status).toBe(400)
    expect(textOf(page.findOne('p', { class: 'error' }))).toBe(error)
    const { choice = '', words = '', email = '' } = fields as Record<string, string>
    const checkedButtons = page
      .findAll('input')
      .filter((element) => attributeOf(element, 'checked') !== undefined)
    const names = reportChoiceNames.filter((name) => name === choice)
    expect(checkedButtons.map((element) => attributeOf(element, 'value'))).toEqual(names)
    expect(textOf(page.findOne('textarea'))).toBe(words)
    expect(attributeOf(page.findOne('input', { name: 'email' }), 'value')).toBe(email)
    expect(await listReports(admin)).toEqual([])
  })

  it("accepts the maximum length with a browser's line endings", async () => {
    const { shortCode } = await makeFile(owner)
    const { page: form } = await openReportPage(shortCode)
    const maxLength = Number(attributeOf(form.findOne('textarea'), 'maxlength'))
    const text = `One\n\n${'x'.repeat(maxLength - 5)}`
    expect(text).toHaveLength(maxLength)
    const { answer: response } = await submitReport(shortCode, {
      choice: 'illegal',
      words: text.replaceAll('\n', '\r\n'),
    })
    expect(response.status).toBe(200)
    expect((await listReports(admin))[0]?.statements[0]?.reason).toBe(`Illegal or harmful: ${text}`)
  })

  it('keeps the input and says when to retry after too many reports', async () => {
    const { shortCode } = await makeFile(owner)
    for (let n = 0; n < 10; n += 1)
      await submitReport(shortCode, { choice: 'other', words: 'again' })
    const { answer: response, page } = await submitReport(shortCode, {
      choice: 'other',
      words: 'once more',
    })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(textOf(page.findOne('p', { class: 'error' }))).toContain('Too many attempts')
    expect(textOf(page.findOne('textarea'))).toBe('once more')
  })

  it('marks reports that fill in the hidden field', async () => {
    const { shortCode } = await makeFile(owner)
    await submitReport(shortCode, {
      choice: 'other',
      words: 'Buy now',
      website: 'https://example.net',
    })
    expect((await listReports(admin))[0]?.statements).toMatchObject([{ isSuspect: true }])
  })

  it('responds to expired and unknown links with the invalid link page, at every step', async () => {
    const file = await makeFile(owner)
    await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
    const unknownLinkResponse = await makeClient(app).fetch('/s/abcdefghij', {
      headers: { accept: 'text/html' },
    })
    const invalidLinkHtml = parsePage(await unknownLinkResponse.text()).toHtml()
    for (const code of [file.shortCode, 'abcdefghij', 'x'.repeat(200), '%00']) {
      for (const { answer: response, page } of [
        await openReportPage(code),
        await submitReport(code, { choice: 'other', words: 'x' }),
        await submitReport(code, {}),
      ]) {
        expect(response.status, code).toBe(404)
        expect(page.toHtml()).toBe(invalidLinkHtml)
      }
    }
    expect(await listReports(admin)).toEqual([])
  })

  it('rejects forms that are cross-site or too large', async () => {
    const { shortCode } = await makeFile(owner)
    const crossSiteResponse = await submitReport(
      shortCode,
      { choice: 'other', words: 'x' },
      { origin: 'https://evil.example' },
    )
    expect(crossSiteResponse.answer.status).toBe(403)
    const oversizedSubmission = await submitReport(shortCode, {
      choice: 'other',
      words: 'x'.repeat(70_000),
    })
    expect(oversizedSubmission.answer.status).toBe(413)
    expect(await listReports(admin)).toEqual([])
  })
})
