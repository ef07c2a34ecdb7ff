import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { flatPng } from '../../../tests/support/pictures.ts'
import { LogoConversion } from './logo-conversion.ts'
import { logoExit, maxLogoPngBytes } from './logo-exit.ts'

const log = pino({ level: 'silent' })
const longestMs = 120_000

let folder: string
let png: Buffer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-logos-'))
  png = await flatPng({ width: 10, height: 10 })
})
afterAll(() => rm(folder, { recursive: true }))

/** Returns a conversion whose process runs this code in place of the real program. */
async function conversionBy(name: string, code: string, limitMs = longestMs) {
  const path = join(folder, `${name}.mjs`)
  await writeFile(path, code)
  return new LogoConversion({ path, longestMs: limitMs })
}

function picture() {
  return Promise.resolve(png)
}

describe('a picture that gets the better of its decoder', () => {
  it.each([
    ['crashes', 'process.abort()'],
    ['fails', 'throw new Error("a secret of libvips")'],
    ['writes without end', `for (;;) process.stdout.write(Buffer.alloc(${maxLogoPngBytes}))`],
    ['writes too much', `process.stdout.write(Buffer.alloc(${maxLogoPngBytes + 1}))`],
    ['writes nothing', ''],
    ['writes what is no PNG', 'process.stdout.write("<script>alert(1)</script>".repeat(9))'],
  ])('one that %s is refused, and the next is converted', async (what, code) => {
    const conversion = await conversionBy(what.replaceAll(' ', '-'), code)
    const refused = await conversion.convert('ada', picture, log).catch((error) => error)
    expect(refused).toMatchObject({ code: 'LOGO_UNREADABLE', message: /^This picture cannot/ })
  })

  it('one that hangs is stopped', async () => {
    const conversion = await conversionBy('hang', 'setInterval(() => {}, 1000)', 500)
    const refused = await conversion.convert('ada', picture, log).catch((error) => error)
    expect(refused).toMatchObject({ code: 'LOGO_UNREADABLE' })
  })

  it('finds no setting and no secret of the server', async () => {
    process.env.MAYFLY_TEST_SECRET = 'a secret'
    const code = `process.exit(Object.values(process.env).includes('a secret') ? 0 : ${logoExit.tooManyPixels})`
    const conversion = await conversionBy('environment', code)
    const refused = await conversion.convert('ada', picture, log).catch((error) => error)
    process.env.MAYFLY_TEST_SECRET = ''
    expect(refused).toMatchObject({ message: /too large/ })
  })
})

it('no other format is decoded, even where its first bytes pass', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const gif = await sharp(png).gif().toBuffer()
  const tiff = await sharp(png).tiff().toBuffer()
  const whatever = new LogoConversion({
    longestMs,
    path: join(import.meta.dirname, 'logo-process.ts'),
  })
  for (const bytes of [svg, gif, tiff]) {
    const passing = Object.assign(Buffer.from(bytes), { subarray: () => png.subarray(0, 12) })
    const read = () => Promise.resolve(passing)
    const refused = await whatever.convert('ada', read, log).catch((error) => error)
    expect(refused).toMatchObject({ code: 'LOGO_UNREADABLE' })
  }
  expect(await whatever.convert('ada', picture, log)).toMatchObject({ width: 10, height: 10 })
})

describe('many pictures at once', () => {
  /** Makes a body that arrives when the test says so. */
  const slow = () => {
    const { promise, resolve } = Promise.withResolvers<Uint8Array>()
    return { read: () => promise, arrive: () => resolve(new Uint8Array()) }
  }

  it('of one account, or of all, are refused before they are read', async () => {
    const conversion = new LogoConversion()
    const bodies: ReturnType<typeof slow>[] = []
    const begin = (user: string) => {
      const body = slow()
      bodies.push(body)
      return conversion.convert(user, body.read, log).catch((error) => error.code as string)
    }
    const unread = () => {
      throw new Error('read')
    }
    const begun = ['ada', 'ada', 'ada', 'ada'].map(begin)
    await expect(conversion.convert('ada', unread, log)).rejects.toMatchObject({
      code: 'LOGOS_BUSY',
      headers: { 'retry-after': '5' },
    })
    for (const user of ['bob', 'cy', 'di']) begun.push(...[user, user, user, user].map(begin))
    await expect(conversion.convert('eve', unread, log)).rejects.toMatchObject({
      code: 'LOGOS_BUSY',
    })
    for (const body of bodies) body.arrive()
    expect(new Set(await Promise.all(begun))).toEqual(new Set(['LOGO_UNREADABLE']))
    expect(await conversion.convert('eve', picture, log)).toMatchObject({ width: 10 })
  })

  it('keep no place when their client leaves', async () => {
    const conversion = new LogoConversion()
    const leave = () => Promise.reject(new Error('gone'))
    for (let time = 0; time < 20; time += 1) {
      await expect(conversion.convert('ada', leave, log)).rejects.toThrow('gone')
    }
  })

  it('are decoded one after the other', async () => {
    const path = join(folder, 'lock')
    const code = `import { openSync, unlinkSync } from 'node:fs'
      try { openSync('${path}', 'wx') } catch { process.exit(${logoExit.tooManyPixels}) }
      setTimeout(() => { unlinkSync('${path}'); process.exit(${logoExit.unreadable}) }, 20)`
    const conversion = await conversionBy('alone', code)
    const all = ['ada', 'bob', 'cy'].map((user) =>
      conversion.convert(user, picture, log).catch((error) => error.message as string),
    )
    for (const message of await Promise.all(all)) expect(message).toMatch('cannot be read')
  })
})
