import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getBrand, putBrand, putLogo, readError, storeLogo } from '../../../tests/support/brands.ts'
import { json, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { makeSolidPng } from '../../../tests/support/pictures.ts'
import { queryPlansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Brand } from '../../shared/contract/branding.ts'
import { branding, users } from '../db/schema.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
  ada = await makePerson(app, { tier: 'premium' })
})
afterAll(() => app.close())
afterEach(() => app.deps.db.delete(branding))

const brand = { name: 'Harbour & Pine', accent: '#3a3f9e', message: 'For the opening.' }

describe('a brand', () => {
  it('is null at first, then the saved one until it is removed', async () => {
    expect(await getBrand(ada)).toBeNull()
    const saveResponse = await putBrand(ada, brand)
    expect(saveResponse.status).toBe(200)
    expect(await json(saveResponse)).toEqual({ ...brand, logoUrl: null })
    expect(await getBrand(ada)).toEqual({ ...brand, logoUrl: null })
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect((await ada.fetch('/api/branding', { method: 'DELETE' })).status).toBe(200)
      expect(await getBrand(ada)).toBeNull()
    }
  })

  it('is completely replaced by the next one, except for its logo', async () => {
    const logoUrl = await storeLogo(app, ada)
    expect(await getBrand(ada)).toEqual({ name: '', accent: null, message: '', logoUrl })
    await putBrand(ada, brand)
    expect(await getBrand(ada)).toEqual({ ...brand, logoUrl })
    await putBrand(ada, { name: 'Pine' })
    expect(await getBrand(ada)).toEqual({ name: 'Pine', accent: null, message: '', logoUrl })
    const removalResponse = await ada.fetch('/api/branding/logo', { method: 'DELETE' })
    expect(await json(removalResponse)).toEqual({
      name: 'Pine',
      accent: null,
      message: '',
      logoUrl: null,
    })
  })

  it('belongs to one account', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    await putBrand(ada, brand)
    expect(await getBrand(bob)).toBeNull()
    await bob.fetch('/api/branding', { method: 'DELETE' })
    await putBrand(bob, { name: 'Bob', ownerId: ada.id, userId: ada.id })
    expect(await getBrand(ada)).toMatchObject(brand)
  })

  it('is deleted with its account', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const logoUrl = await storeLogo(app, bob)
    expect((await fetch(logoUrl)).status).toBe(200)
    await app.deps.db.delete(users).where(eq(users.id, bob.id))
    expect((await fetch(logoUrl)).status).toBe(404)
  })

  it.each([
    ['surrounding spaces', { name: '  Pine  ' }, { name: 'Pine' }],
    ['decomposed letters', { name: 'Cafe\u0301' }, { name: 'Caf\u00e9' }],
    ['a name of 60 characters', { name: 'x'.repeat(60) }, { name: 'x'.repeat(60) }],
    ['Arabic, joiners and emoji', { name: 'مكتب 👩‍🚀' }, { name: 'مكتب 👩‍🚀' }],
    ['any kind of line break', { message: ' a\r\nb\rc\n\n\n\nd\n' }, { message: 'a\nb\nc\n\nd' }],
    ['no message', { message: ' \n ' }, { message: '' }],
    ['an uppercase color', { accent: '#3A3F9E' }, { accent: '#3a3f9e' }],
    ['no color', { accent: null }, { accent: null }],
    ['markup as text', { name: '<b>&amp;{{name}}' }, { name: '<b>&amp;{{name}}' }],
  ])('accepts %s', async (_description, changes, savedChanges) => {
    const response = await putBrand(ada, { ...brand, ...changes })
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual({ ...brand, logoUrl: null, ...savedChanges })
  })

  it.each([
    ['a missing name', { name: undefined }],
    ['an empty name', { name: '   ' }],
    ['an invisible name', { name: '\u200d\u3164\u2060\u2800' }],
    ['a name of 61 characters', { name: 'x'.repeat(61) }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name with a bidirectional override', { name: 'a\u202eb' }],
    ['a name with a line separator', { name: 'a\u2028b' }],
    ['a name with NUL', { name: 'a\0b' }],
    ['a lone surrogate', { name: 'a\ud83d' }],
    ['a number as the name', { name: 7 }],
    ['a message of 281 characters', { message: 'x'.repeat(281) }],
    ['a message of 9 lines', { message: Array(9).fill('x').join('\n') }],
    ['a message with a bidirectional isolate', { message: 'a\u2066b' }],
    ['a message with a terminal escape', { message: 'a\u001b[31mb' }],
    ['an invisible message', { message: '\u200d' }],
    ['a color name', { accent: 'red' }],
    ['a three-digit color', { accent: '#fff' }],
    ['a color followed by CSS', { accent: '#ffffff;}body{display:none' }],
    ['an empty color', { accent: '' }],
  ])('rejects %s and keeps the saved brand', async (_description, changes) => {
    await putBrand(ada, brand)
    const error = await readError(await putBrand(ada, { ...brand, ...changes }))
    expect(error).toMatchObject({ status: 400, code: 'INVALID_INPUT' })
    const [field] = Object.keys(changes)
    expect(error.message).toContain(`${field}: `)
    expect(await getBrand(ada)).toMatchObject(brand)
  })

  it('stays a single row when saved in parallel', async () => {
    const bodies = Array.from({ length: 8 }, (_, index) => ({
      name: `Brand ${index}`,
      message: `${index}`,
    }))
    const responses = await Promise.all(bodies.map((body) => putBrand(ada, body)))
    expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    const { name, message } = (await getBrand(ada)) ?? {}
    expect(name).toBe(`Brand ${message}`)
  })
})

describe('without a tier that includes branding', () => {
  const calls: [string, (person: Person) => Promise<Response>][] = [
    ['reading', (person) => person.fetch('/api/branding')],
    ['saving', (person) => putBrand(person, brand)],
    ['removing', (person) => person.fetch('/api/branding', { method: 'DELETE' })],
    [
      'saving a logo',
      async (person) => putLogo(person, await makeSolidPng({ width: 2, height: 2 })),
    ],
    ['removing a logo', (person) => person.fetch('/api/branding/logo', { method: 'DELETE' })],
  ]
  const tierError = {
    status: 403,
    code: 'TIER_BRANDING',
    message: 'The free tier has no branding. Upgrade to Premium for custom branding.',
  }

  it.each(calls)('%s is rejected and changes nothing', async (_description, callAs) => {
    const freeUser = await makePerson(app)
    expect(await readError(await callAs(freeUser))).toEqual(tierError)
    expect(await app.deps.db.select().from(branding)).toEqual([])
  })

  it("a trial user's brand is hidden once the trial ends, and shown again with Premium", async () => {
    const trialEnd = new Date(app.clock().getTime() + 60_000)
    const trialUser = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: trialEnd })
    const key = await storeLogo(app, trialUser)
    await putBrand(trialUser, brand)
    app.clock.set(new Date(trialEnd.getTime() - 1))
    expect((await getBrand(trialUser))?.name).toBe(brand.name)
    expect((await fetch(key)).status).toBe(200)
    app.clock.set(trialEnd)
    for (const [, callAs] of calls)
      expect(await readError(await callAs(trialUser))).toEqual(tierError)
    expect((await fetch(key)).status).toBe(404)
    const premiumFields = { tier: 'premium' as const, premiumTrialEndsAt: null }
    await app.deps.db.update(users).set(premiumFields).where(eq(users.id, trialUser.id))
    expect(await getBrand(trialUser)).toEqual({ ...brand, logoUrl: key })
    expect((await fetch(key)).status).toBe(200)
  })
})

describe('links of an owner with a brand', () => {
  const fetchDetails = async (code: string) =>
    (await json<{ branding: Brand | null }>(await fetch(`${app.url}/api/links/${code}`))).branding
  const fetchLinkPage = async (code: string) =>
    (await fetch(`${app.url}/s/${code}`, { headers: { accept: 'text/html' } })).text()

  it('show it once it is saved and until the tier ends, and again when the tier is back', async () => {
    const trialEnd = new Date(app.clock().getTime() + 60_000)
    const trialUser = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: trialEnd })
    const { shortCode } = await makeFile(trialUser)
    expect(await fetchDetails(shortCode)).toBeNull()
    expect(await fetchLinkPage(shortCode)).not.toContain('Sent with')
    await putBrand(trialUser, brand)
    const logoUrl = await storeLogo(app, trialUser)
    expect(await fetchDetails(shortCode)).toEqual({ ...brand, logoUrl })
    const linkPageHtml = await fetchLinkPage(shortCode)
    for (const text of ['Harbour &amp; Pine', 'For the opening.', 'Sent with', logoUrl]) {
      expect(linkPageHtml).toContain(text)
    }
    app.clock.set(trialEnd)
    expect(await fetchDetails(shortCode)).toBeNull()
    const pageHtml = await fetchLinkPage(shortCode)
    expect(pageHtml).toContain('notes.txt')
    for (const text of ['Harbour', 'For the opening.', 'Sent with', logoUrl]) {
      expect(pageHtml).not.toContain(text)
    }
    const premiumFields = { tier: 'premium' as const, premiumTrialEndsAt: null }
    await app.deps.db.update(users).set(premiumFields).where(eq(users.id, trialUser.id))
    expect(await fetchDetails(shortCode)).toEqual({ ...brand, logoUrl })
    await trialUser.fetch('/api/branding', { method: 'DELETE' })
    expect(await fetchDetails(shortCode)).toBeNull()
  })

  it("don't show another owner's brand, nor any brand after the link has ended", async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const [adaFile, bobFile] = [await makeFile(ada), await makeFile(bob)]
    await putBrand(ada, brand)
    const brands = await Promise.all([
      fetchDetails(adaFile.shortCode),
      fetchDetails(bobFile.shortCode),
    ])
    expect(brands).toEqual([{ ...brand, logoUrl: null }, null])
    await ada.fetch(`/api/files/${adaFile.id}`, { method: 'DELETE' })
    expect(await fetchLinkPage(adaFile.shortCode)).not.toMatch(/Harbour|Sent with|opening/)
  })

  it('need one query, with or without a brand', async () => {
    const { shortCode } = await makeFile(ada)
    for (const body of [null, brand]) {
      if (body) await putBrand(ada, body)
      expect(await queryPlansOf(app.pool, () => fetchLinkPage(shortCode))).toHaveLength(1)
    }
  })
})
