import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { json, makeClient, makeFile, makePerson, type Person } from '../../../tests/support/make.ts'
import { flatPng, noise, pngOfZeros } from '../../../tests/support/pictures.ts'
import { plansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Brand } from '../../shared/contract/branding.ts'
import { maxLogoBytes, maxLogoSide } from '../../shared/rules/logo-limits.ts'
import { branding, users } from '../db/schema.ts'
import { maxLogoPngBytes } from './logo-exit.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
  ada = await makePerson(app, { tier: 'premium' })
})
afterAll(() => app.close())
afterEach(() => app.deps.db.delete(branding))

const brand = { name: 'Harbour & Pine', accent: '#3a3f9e', message: 'For the opening.' }

function put(person: Person, body: unknown) {
  return person.fetch('/api/branding', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function putLogo(person: Person, bytes: Uint8Array, type = 'image/png') {
  const body = new Uint8Array(bytes)
  return person.fetch('/api/branding/logo', {
    method: 'PUT',
    headers: { 'content-type': type },
    body,
  })
}

async function saveLogo(person: Person, bytes: Uint8Array): Promise<string> {
  const response = await putLogo(person, bytes)
  expect(response.status, await response.clone().text()).toBe(200)
  return (await json<Brand>(response)).logoUrl ?? ''
}

/** Writes a row with a logo directly. No picture is converted. */
async function keepLogo({ id: ownerId }: Person): Promise<string> {
  const logoKey = randomBytes(16).toString('hex')
  const logo = { logo: Buffer.from('a PNG'), logoKey, logoWidth: 1, logoHeight: 1 }
  await app.deps.db
    .insert(branding)
    .values({ ownerId, ...logo, updatedAt: app.clock() })
    .onConflictDoUpdate({ target: branding.ownerId, set: logo })
  return `${app.url}/api/branding/logo/${logoKey}`
}

async function brandOf(person: Person) {
  return json<Brand | null>(await person.fetch('/api/branding'))
}

async function refusalOf(response: Response) {
  const { code, message } = await json<{ code: string; message: string }>(response)
  return { status: response.status, code, message }
}

describe('a brand', () => {
  it('is null at first, and then what was saved, until it is removed', async () => {
    expect(await brandOf(ada)).toBeNull()
    const saved = await put(ada, brand)
    expect(saved.status).toBe(200)
    expect(await json(saved)).toEqual({ ...brand, logoUrl: null })
    expect(await brandOf(ada)).toEqual({ ...brand, logoUrl: null })
    for (let time = 1; time <= 2; time += 1) {
      expect((await ada.fetch('/api/branding', { method: 'DELETE' })).status).toBe(200)
      expect(await brandOf(ada)).toBeNull()
    }
  })

  it('is replaced as a whole by the next, except for its logo', async () => {
    const logoUrl = await keepLogo(ada)
    expect(await brandOf(ada)).toEqual({ name: '', accent: null, message: '', logoUrl })
    await put(ada, brand)
    expect(await brandOf(ada)).toEqual({ ...brand, logoUrl })
    await put(ada, { name: 'Pine' })
    expect(await brandOf(ada)).toEqual({ name: 'Pine', accent: null, message: '', logoUrl })
    const withoutLogo = await ada.fetch('/api/branding/logo', { method: 'DELETE' })
    expect(await json(withoutLogo)).toEqual({
      name: 'Pine',
      accent: null,
      message: '',
      logoUrl: null,
    })
  })

  it('is each account’s own', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    await put(ada, brand)
    expect(await brandOf(bob)).toBeNull()
    await bob.fetch('/api/branding', { method: 'DELETE' })
    await put(bob, { name: 'Bob', ownerId: ada.id, userId: ada.id })
    expect(await brandOf(ada)).toMatchObject(brand)
  })

  it('goes with its account', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const logoUrl = await keepLogo(bob)
    expect((await fetch(logoUrl)).status).toBe(200)
    await app.deps.db.delete(users).where(eq(users.id, bob.id))
    expect((await fetch(logoUrl)).status).toBe(404)
  })

  it.each([
    ['spaces at its ends', { name: '  Pine  ' }, { name: 'Pine' }],
    ['letters in two pieces', { name: 'Cafe\u0301' }, { name: 'Caf\u00e9' }],
    ['a name of 60 letters', { name: 'x'.repeat(60) }, { name: 'x'.repeat(60) }],
    ['Arabic, joiners, emoji', { name: 'مكتب 👩‍🚀' }, { name: 'مكتب 👩‍🚀' }],
    ['lines of any system', { message: ' a\r\nb\rc\n\n\n\nd\n' }, { message: 'a\nb\nc\n\nd' }],
    ['no message', { message: ' \n ' }, { message: '' }],
    ['a colour in capitals', { accent: '#3A3F9E' }, { accent: '#3a3f9e' }],
    ['no colour', { accent: null }, { accent: null }],
    ['markup, as text', { name: '<b>&amp;{{name}}' }, { name: '<b>&amp;{{name}}' }],
  ])('takes %s', async (_what, changes, kept) => {
    const response = await put(ada, { ...brand, ...changes })
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual({ ...brand, logoUrl: null, ...kept })
  })

  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '   ' }],
    ['a name that nobody sees', { name: '\u200d\u3164\u2060' }],
    ['a name of 61 letters', { name: 'x'.repeat(61) }],
    ['a name in two lines', { name: 'a\nb' }],
    ['a name with a direction mark', { name: 'a\u202eb' }],
    ['a name with a line separator', { name: 'a\u2028b' }],
    ['a name with NUL', { name: 'a\0b' }],
    ['half a character', { name: 'a\ud83d' }],
    ['a name that is a number', { name: 7 }],
    ['a message of 281 letters', { message: 'x'.repeat(281) }],
    ['a message of 9 lines', { message: Array(9).fill('x').join('\n') }],
    ['a message with a direction mark', { message: 'a\u2066b' }],
    ['a message with an escape', { message: 'a\u001b[31mb' }],
    ['a message that nobody sees', { message: '\u200d' }],
    ['a colour by name', { accent: 'red' }],
    ['a short colour', { accent: '#fff' }],
    ['a colour that is CSS', { accent: '#ffffff;}body{display:none' }],
    ['an empty colour', { accent: '' }],
  ])('refuses %s, and keeps what was', async (_what, changes) => {
    await put(ada, brand)
    const refusal = await refusalOf(await put(ada, { ...brand, ...changes }))
    expect(refusal).toMatchObject({ status: 400, code: 'INVALID_INPUT' })
    const [field] = Object.keys(changes)
    expect(refusal.message).toContain(`${field}: `)
    expect(await brandOf(ada)).toMatchObject(brand)
  })

  it('is one row, however many save it at once', async () => {
    const bodies = Array.from({ length: 8 }, (_, at) => ({ name: `Brand ${at}`, message: `${at}` }))
    const answers = await Promise.all(bodies.map((body) => put(ada, body)))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    const { name, message } = (await brandOf(ada)) ?? {}
    expect(name).toBe(`Brand ${message}`)
  })
})

describe('without the tier', () => {
  const calls: [string, (person: Person) => Promise<Response>][] = [
    ['reading', (person) => person.fetch('/api/branding')],
    ['saving', (person) => put(person, brand)],
    ['removing', (person) => person.fetch('/api/branding', { method: 'DELETE' })],
    ['saving a logo', async (person) => putLogo(person, await flatPng({ width: 2, height: 2 }))],
    ['removing a logo', (person) => person.fetch('/api/branding/logo', { method: 'DELETE' })],
  ]
  const refusal = {
    status: 403,
    code: 'TIER_BRANDING',
    message: 'The free tier has no branding. Upgrade to Premium for custom branding.',
  }

  it.each(calls)('%s is refused, and changes nothing', async (_what, callAs) => {
    const free = await makePerson(app)
    expect(await refusalOf(await callAs(free))).toEqual(refusal)
    expect(await app.deps.db.select().from(branding)).toEqual([])
  })

  it('a trial counts until its very end, and the brand waits for the tier to come back', async () => {
    const end = new Date(app.clock().getTime() + 60_000)
    const trier = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: end })
    const key = await keepLogo(trier)
    await put(trier, brand)
    app.clock.set(new Date(end.getTime() - 1))
    expect((await brandOf(trier))?.name).toBe(brand.name)
    expect((await fetch(key)).status).toBe(200)
    app.clock.set(end)
    for (const [, callAs] of calls) expect(await refusalOf(await callAs(trier))).toEqual(refusal)
    expect((await fetch(key)).status).toBe(404)
    const facts = { tier: 'premium' as const, premiumTrialEndsAt: null }
    await app.deps.db.update(users).set(facts).where(eq(users.id, trier.id))
    expect(await brandOf(trier)).toEqual({ ...brand, logoUrl: key })
    expect((await fetch(key)).status).toBe(200)
  })
})

describe('a logo', () => {
  it.each([
    ['a PNG', () => flatPng({ width: 600, height: 300 }), [480, 240]],
    ['a tall JPEG', () => noise({ width: 60, height: 600 }).jpeg().toBuffer(), [24, 240]],
    ['a WebP', () => noise({ width: 100, height: 50 }).webp().toBuffer(), [100, 50]],
    ['one pixel', () => flatPng({ width: 1, height: 1 }), [1, 1]],
    ['the widest', () => flatPng({ width: maxLogoSide, height: 1 }), [480, 1]],
    ['one that lies on its side', () => sideways(), [100, 200]],
  ] as const)('of %s becomes a small PNG without metadata', async (_what, make, size) => {
    const logoUrl = await saveLogo(ada, await make())
    const response = await fetch(logoUrl)
    const png = Buffer.from(await response.arrayBuffer())
    const { format, width, height, exif, icc, xmp, pages } = await sharp(png).metadata()
    expect([format, width, height]).toEqual(['png', ...size])
    expect([exif, icc, xmp, pages]).toEqual([undefined, undefined, undefined, undefined])
    expect(png.length).toBeLessThanOrEqual(maxLogoPngBytes)
  })

  it('of noise is small all the same', async () => {
    const picture = await noise({ width: 240, height: 120 }).png().toBuffer()
    const response = await fetch(await saveLogo(ada, picture))
    expect((await response.arrayBuffer()).byteLength).toBeLessThanOrEqual(maxLogoPngBytes)
  })

  it('of an animation is its first picture', async () => {
    const frames = await Promise.all([flatPng(side(16), '#ff0000'), flatPng(side(16), '#0000ff')])
    const animation = await sharp(frames, { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer()
    const png = await (await fetch(await saveLogo(ada, animation))).arrayBuffer()
    const { dominant } = await sharp(Buffer.from(png)).stats()
    expect(dominant.r).toBeGreaterThan(dominant.b)
  })

  it('is served to anybody, for ever, as a picture that may do nothing', async () => {
    const logoUrl = await saveLogo(ada, await flatPng(side(30)))
    expect(logoUrl).toMatch(new RegExp(`^${app.url}/api/branding/logo/[0-9a-f]{32}$`))
    const response = await makeClient(app).fetch(new URL(logoUrl).pathname)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  it('has another address when it is another picture, and the old one is gone', async () => {
    const first = await saveLogo(ada, await flatPng(side(30), '#ff0000'))
    expect(await saveLogo(ada, await flatPng(side(30), '#ff0000'))).toBe(first)
    const second = await saveLogo(ada, await flatPng(side(30), '#00ff00'))
    expect(second).not.toBe(first)
    expect((await fetch(first)).status).toBe(404)
    expect((await fetch(second)).status).toBe(200)
  })

  it('that two accounts share stays while one of them may show it', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const picture = await flatPng(side(30), '#0f0f0f')
    const logoUrl = await saveLogo(ada, picture)
    expect(await saveLogo(bob, picture)).toBe(logoUrl)
    await ada.fetch('/api/branding', { method: 'DELETE' })
    expect((await fetch(logoUrl)).status).toBe(200)
    await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, bob.id))
    expect((await fetch(logoUrl)).status).toBe(404)
  })

  it.each(['x', '0'.repeat(32), '0'.repeat(31), '%00', '..%2f..%2fsecret', "1'or'1"])(
    'with the key %s is not there',
    async (key) => {
      const response = await fetch(`${app.url}/api/branding/logo/${key}`)
      expect(await refusalOf(response)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    },
  )

  it('survives being saved twice at once: one of them stays whole', async () => {
    const pictures = await Promise.all(['#111111', '#222222'].map((it) => flatPng(side(40), it)))
    const saved = await Promise.all(pictures.map((picture) => saveLogo(ada, picture)))
    const { logoUrl } = (await brandOf(ada)) ?? {}
    expect(saved).toContain(logoUrl)
    expect((await fetch(logoUrl ?? '')).status).toBe(200)
  })
})

describe('a picture that is none', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const tooLarge = 'This picture is too large: it may be 4,096 pixels wide and high at most.'
  const unreadable = 'This picture cannot be read. Take a PNG, a JPEG or a WebP.'

  it.each([
    ['nothing', () => Buffer.alloc(0), unreadable],
    ['text', () => Buffer.from('hello'), unreadable],
    ['an SVG that calls itself a PNG', () => Buffer.from(svg), unreadable],
    [
      'an SVG behind the first bytes of a PNG',
      () => Buffer.concat([signature, Buffer.from(svg)]),
      unreadable,
    ],
    ['a PDF', () => Buffer.from('%PDF-1.7\n'), unreadable],
    [
      'a page behind the first bytes of a JPEG',
      () => Buffer.from('\xff\xd8\xff<html>', 'latin1'),
      unreadable,
    ],
    [
      'a GIF',
      () =>
        sharp(pngOfZeros(side(1), 9))
          .gif()
          .toBuffer(),
      unreadable,
    ],
    [
      'an AVIF',
      async () =>
        sharp(await flatPng(side(16)))
          .avif()
          .toBuffer(),
      unreadable,
    ],
    ['half a PNG', async () => half(await noise(side(64)).png().toBuffer()), unreadable],
    ['half a JPEG', async () => half(await noise(side(64)).jpeg().toBuffer()), unreadable],
    ['half a WebP', async () => half(await noise(side(64)).webp().toBuffer()), unreadable],
    [
      'a PNG with a bit that flipped',
      async () => flipped(await noise(side(64)).png().toBuffer()),
      unreadable,
    ],
    ['a PNG that lacks its pixels', () => pngOfZeros(side(1000)), unreadable],
    ['one pixel too wide', () => flatPng({ width: maxLogoSide + 1, height: 1 }), tooLarge],
    ['one pixel too high', () => flatPng({ width: 1, height: maxLogoSide + 1 }), tooLarge],
  ] as const)('%s is refused, and the logo stays', async (_what, make, message) => {
    const logoUrl = await keepLogo(ada)
    const refusal = await refusalOf(await putLogo(ada, await make()))
    expect(refusal).toEqual({ status: 400, code: 'LOGO_UNREADABLE', message })
    expect(await brandOf(ada)).toMatchObject({ logoUrl })
  })

  it('a bomb, which is far larger than its bytes, is refused before it opens', async () => {
    const bomb = pngOfZeros({ width: 60_000, height: 60_000 }, 60_000_000)
    expect(bomb.length).toBeLessThan(100_000)
    const refusal = await refusalOf(await putLogo(ada, bomb))
    expect(refusal).toMatchObject({ status: 400, code: 'LOGO_UNREADABLE' })
  })

  it('a megabyte is taken, and a byte more is refused', async () => {
    const padded = Buffer.concat([await flatPng(side(5)), Buffer.alloc(maxLogoBytes)])
    const most = padded.subarray(0, maxLogoBytes)
    expect((await putLogo(ada, most)).status).toBe(200)
    const more = await putLogo(ada, padded.subarray(0, maxLogoBytes + 1))
    expect(await refusalOf(more)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  })
})

describe('the links of an owner with a brand', () => {
  const details = async (code: string) =>
    (await json<{ branding: Brand | null }>(await fetch(`${app.url}/api/links/${code}`))).branding
  const pageOf = async (code: string) =>
    (await fetch(`${app.url}/s/${code}`, { headers: { accept: 'text/html' } })).text()

  it('show it from the moment it is saved, to the end of the tier, and again with the tier', async () => {
    const end = new Date(app.clock().getTime() + 60_000)
    const trier = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: end })
    const { shortCode } = await makeFile(trier)
    expect(await details(shortCode)).toBeNull()
    expect(await pageOf(shortCode)).not.toContain('Sent with')
    await put(trier, brand)
    const logoUrl = await keepLogo(trier)
    expect(await details(shortCode)).toEqual({ ...brand, logoUrl })
    const page = await pageOf(shortCode)
    for (const text of ['Harbour &amp; Pine', 'For the opening.', 'Sent with', logoUrl]) {
      expect(page).toContain(text)
    }
    app.clock.set(end)
    expect(await details(shortCode)).toBeNull()
    const plain = await pageOf(shortCode)
    expect(plain).toContain('notes.txt')
    for (const text of ['Harbour', 'For the opening.', 'Sent with', logoUrl]) {
      expect(plain).not.toContain(text)
    }
    const facts = { tier: 'premium' as const, premiumTrialEndsAt: null }
    await app.deps.db.update(users).set(facts).where(eq(users.id, trier.id))
    expect(await details(shortCode)).toEqual({ ...brand, logoUrl })
    await trier.fetch('/api/branding', { method: 'DELETE' })
    expect(await details(shortCode)).toBeNull()
  })

  it('show nobody else’s, and nothing of it once they are dead', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const [adas, bobs] = [await makeFile(ada), await makeFile(bob)]
    await put(ada, brand)
    const both = await Promise.all([details(adas.shortCode), details(bobs.shortCode)])
    expect(both).toEqual([{ ...brand, logoUrl: null }, null])
    await ada.fetch(`/api/files/${adas.id}`, { method: 'DELETE' })
    expect(await pageOf(adas.shortCode)).not.toMatch(/Harbour|Sent with|opening/)
  })

  it('cost one query, with a brand and without', async () => {
    const { shortCode } = await makeFile(ada)
    for (const body of [null, brand]) {
      if (body) await put(ada, body)
      expect(await plansOf(app.pool, () => pageOf(shortCode))).toHaveLength(1)
    }
  })
})

function side(pixels: number) {
  return { width: pixels, height: pixels }
}

function half(bytes: Buffer) {
  return bytes.subarray(0, bytes.length / 2)
}

function flipped(bytes: Buffer) {
  const copy = Buffer.from(bytes)
  const middle = bytes.length >> 1
  copy.writeUInt8(copy.readUInt8(middle) ^ 0x10, middle)
  return copy
}

/**
 * A picture as a camera writes it: turned by 90 degrees, with a note in which direction to turn it
 * back.
 */
function sideways() {
  return noise({ width: 200, height: 100 }).jpeg().withMetadata({ orientation: 6 }).toBuffer()
}
