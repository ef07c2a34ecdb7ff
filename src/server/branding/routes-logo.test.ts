import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getBrand, putLogo, readError, storeLogo } from '../../../tests/support/brands.ts'
import { json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { makePngOfZeros, makeRandomPicture, makeSolidPng } from '../../../tests/support/pictures.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { type Brand, maxLogoBytes, maxLogoSide } from '../../shared/contract/branding.ts'
import { branding, users } from '../db/schema.ts'
import { maxLogoPngBytes } from './convert-logo.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startTestApp()
  ada = await makePerson(app, { tier: 'premium' })
})
afterAll(() => app.close())
afterEach(() => app.deps.db.delete(branding))

async function saveLogo(person: Person, bytes: Uint8Array): Promise<string> {
  const response = await putLogo(person, bytes)
  expect(response.status, await response.clone().text()).toBe(200)
  return (await json<Brand>(response)).logoUrl ?? ''
}

describe('a logo', () => {
  it.each([
    ['a PNG', () => makeSolidPng({ width: 600, height: 300 }), [480, 240]],
    [
      'a tall JPEG',
      () => makeRandomPicture({ width: 60, height: 600 }).jpeg().toBuffer(),
      [24, 240],
    ],
    ['a WebP', () => makeRandomPicture({ width: 100, height: 50 }).webp().toBuffer(), [100, 50]],
    ['one pixel', () => makeSolidPng({ width: 1, height: 1 }), [1, 1]],
    [
      'an image of the maximum width',
      () => makeSolidPng({ width: maxLogoSide, height: 1 }),
      [480, 1],
    ],
    ['a rotated photo', () => createRotatedJpeg(), [100, 200]],
  ] as const)(
    'of %s becomes a small PNG without metadata',
    async (_description, makeImage, size) => {
      const logoUrl = await saveLogo(ada, await makeImage())
      const response = await fetch(logoUrl)
      const png = Buffer.from(await response.arrayBuffer())
      const { format, width, height, exif, icc, xmp, pages } = await sharp(png).metadata()
      expect([format, width, height]).toEqual(['png', ...size])
      expect([exif, icc, xmp, pages]).toEqual([undefined, undefined, undefined, undefined])
      expect(png.length).toBeLessThanOrEqual(maxLogoPngBytes)
    },
  )

  it('of random noise is also small', async () => {
    const image = await makeRandomPicture({ width: 240, height: 120 }).png().toBuffer()
    const response = await fetch(await saveLogo(ada, image))
    expect((await response.arrayBuffer()).byteLength).toBeLessThanOrEqual(maxLogoPngBytes)
  })

  it('of an animation is its first frame', async () => {
    const frames = await Promise.all([
      makeSolidPng(createSquareSize(16), '#ff0000'),
      makeSolidPng(createSquareSize(16), '#0000ff'),
    ])
    const animation = await sharp(frames, { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer()
    const png = await (await fetch(await saveLogo(ada, animation))).arrayBuffer()
    const { dominant } = await sharp(Buffer.from(png)).stats()
    expect(dominant.r).toBeGreaterThan(dominant.b)
  })

  it('is public, cacheable forever and has no active content', async () => {
    const logoUrl = await saveLogo(ada, await makeSolidPng(createSquareSize(30)))
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

  it('gets a new URL when the image changes, and the old URL stops working', async () => {
    const firstUrl = await saveLogo(ada, await makeSolidPng(createSquareSize(30), '#ff0000'))
    expect(await saveLogo(ada, await makeSolidPng(createSquareSize(30), '#ff0000'))).toBe(firstUrl)
    const secondUrl = await saveLogo(ada, await makeSolidPng(createSquareSize(30), '#00ff00'))
    expect(secondUrl).not.toBe(firstUrl)
    expect((await fetch(firstUrl)).status).toBe(404)
    expect((await fetch(secondUrl)).status).toBe(200)
  })

  it('shared by two accounts is served while either may show it', async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const image = await makeSolidPng(createSquareSize(30), '#0f0f0f')
    const logoUrl = await saveLogo(ada, image)
    expect(await saveLogo(bob, image)).toBe(logoUrl)
    await ada.fetch('/api/branding', { method: 'DELETE' })
    expect((await fetch(logoUrl)).status).toBe(200)
    await app.deps.db.update(users).set({ tier: 'free' }).where(eq(users.id, bob.id))
    expect((await fetch(logoUrl)).status).toBe(404)
  })

  it.each(['x', '0'.repeat(32), '0'.repeat(31), '%00', '..%2f..%2fsecret', "1'or'1"])(
    "with the key %s isn't found",
    async (key) => {
      const response = await fetch(`${app.url}/api/branding/logo/${key}`)
      expect(await readError(response)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    },
  )

  it('can be saved twice in parallel, and one of the two is kept', async () => {
    const images = await Promise.all(
      ['#111111', '#222222'].map((color) => makeSolidPng(createSquareSize(40), color)),
    )
    const savedUrls = await Promise.all(images.map((image) => saveLogo(ada, image)))
    const { logoUrl } = (await getBrand(ada)) ?? {}
    expect(savedUrls).toContain(logoUrl)
    expect((await fetch(logoUrl ?? '')).status).toBe(200)
  })
})

describe('a logo upload', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const tooLargeMessage = 'This image is too large: it can be at most 4,096 pixels wide and high.'
  const unreadableMessage = 'This image cannot be read. Use a PNG, JPEG or WebP.'

  it.each([
    ['an empty body', () => Buffer.alloc(0), unreadableMessage],
    ['text', () => Buffer.from('hello'), unreadableMessage],
    ['an SVG sent as a PNG', () => Buffer.from(svg), unreadableMessage],
    [
      'an SVG after a PNG signature',
      () => Buffer.concat([signature, Buffer.from(svg)]),
      unreadableMessage,
    ],
    ['a PDF', () => Buffer.from('%PDF-1.7\n'), unreadableMessage],
    [
      'HTML after a JPEG signature',
      () => Buffer.from('\xff\xd8\xff<html>', 'latin1'),
      unreadableMessage,
    ],
    [
      'a GIF',
      () =>
        sharp(makePngOfZeros(createSquareSize(1), 9))
          .gif()
          .toBuffer(),
      unreadableMessage,
    ],
    [
      'an AVIF',
      async () =>
        sharp(await makeSolidPng(createSquareSize(16)))
          .avif()
          .toBuffer(),
      unreadableMessage,
    ],
    [
      'a truncated PNG',
      async () => takeFirstHalf(await makeRandomPicture(createSquareSize(64)).png().toBuffer()),
      unreadableMessage,
    ],
    [
      'a truncated JPEG',
      async () => takeFirstHalf(await makeRandomPicture(createSquareSize(64)).jpeg().toBuffer()),
      unreadableMessage,
    ],
    [
      'a truncated WebP',
      async () => takeFirstHalf(await makeRandomPicture(createSquareSize(64)).webp().toBuffer()),
      unreadableMessage,
    ],
    [
      'a PNG with a flipped bit',
      async () => withFlippedBit(await makeRandomPicture(createSquareSize(64)).png().toBuffer()),
      unreadableMessage,
    ],
    ['a PNG without pixel data', () => makePngOfZeros(createSquareSize(1000)), unreadableMessage],
    [
      'an image one pixel too wide',
      () => makeSolidPng({ width: maxLogoSide + 1, height: 1 }),
      tooLargeMessage,
    ],
    [
      'an image one pixel too tall',
      () => makeSolidPng({ width: 1, height: maxLogoSide + 1 }),
      tooLargeMessage,
    ],
  ] as const)('of %s is rejected, and the logo stays', async (_description, makeImage, message) => {
    const logoUrl = await storeLogo(app, ada)
    const error = await readError(await putLogo(ada, await makeImage()))
    expect(error).toEqual({ status: 400, code: 'LOGO_UNREADABLE', message })
    expect(await getBrand(ada)).toMatchObject({ logoUrl })
  })

  it('of a decompression bomb is rejected before decoding', async () => {
    const decompressionBomb = makePngOfZeros({ width: 60_000, height: 60_000 }, 60_000_000)
    expect(decompressionBomb.length).toBeLessThan(100_000)
    const error = await readError(await putLogo(ada, decompressionBomb))
    expect(error).toMatchObject({ status: 400, code: 'LOGO_UNREADABLE' })
  })

  it("isn't delayed by 16 requests whose bodies never arrive", async () => {
    const bob = await makePerson(app, { tier: 'premium' })
    const controller = new AbortController()
    const stalledResponsePromises = Array.from({ length: 16 }, () =>
      bob.fetch('/api/branding/logo', {
        method: 'PUT',
        headers: { 'content-type': 'image/png', 'content-length': '2' },
        body: new ReadableStream({ start: (body) => body.enqueue(Uint8Array.of(137)) }),
        duplex: 'half',
        signal: controller.signal,
      } as RequestInit),
    )
    const settledPromise = Promise.allSettled(stalledResponsePromises)
    await saveLogo(bob, await makeSolidPng(createSquareSize(8)))
    controller.abort()
    expect((await settledPromise).every(({ status }) => status === 'rejected')).toBe(true)
  })

  it('is accepted up to a megabyte and rejected one byte above', async () => {
    const paddedPng = Buffer.concat([
      await makeSolidPng(createSquareSize(5)),
      Buffer.alloc(maxLogoBytes),
    ])
    const largestLogo = paddedPng.subarray(0, maxLogoBytes)
    expect((await putLogo(ada, largestLogo)).status).toBe(200)
    const tooLargeResponse = await putLogo(ada, paddedPng.subarray(0, maxLogoBytes + 1))
    expect(await readError(tooLargeResponse)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  })
})

function createSquareSize(sideLength: number) {
  return { width: sideLength, height: sideLength }
}

function takeFirstHalf(bytes: Buffer) {
  return bytes.subarray(0, bytes.length / 2)
}

function withFlippedBit(bytes: Buffer) {
  const copy = Buffer.from(bytes)
  const middle = bytes.length >> 1
  copy.writeUInt8(copy.readUInt8(middle) ^ 0x10, middle)
  return copy
}

/**
 * Creates a JPEG like those from cameras: rotated by 90 degrees, with the orientation in the
 * metadata.
 */
function createRotatedJpeg() {
  return makeRandomPicture({ width: 200, height: 100 })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer()
}
