import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { beforeAll, describe, expect, it } from 'vitest'
import type { HttpEnv } from './env.ts'
import { type Coding, compress, makeVariant, sendVariant, type Variants } from './send-variants.ts'

const text = 'Grüße '.repeat(100)

let variants: Variants
beforeAll(async () => {
  variants = await compress(text)
})

/** Requests a body that the server has in these codings. */
async function requestVariant(
  headers: Record<string, string>,
  {
    codings: variantsByCoding = variants,
    status = 200,
  }: { codings?: Variants; status?: 200 | 404 } = {},
) {
  const app = new Hono<HttpEnv>()
  app.get('/', (c) =>
    sendVariant(
      c,
      { variants: variantsByCoding, headers: { 'content-type': 'text/plain' } },
      status,
    ),
  )
  return app.request('/', { headers })
}

function getBody(coding: Coding) {
  return Buffer.from(variants.get(coding)?.body ?? [])
}

function getEtag(coding: Coding): string {
  return variants.get(coding)?.etag ?? ''
}

describe('a compressed text', () => {
  it('is the same in every coding', () => {
    expect(brotliDecompressSync(getBody('br')).toString()).toBe(text)
    expect(gunzipSync(getBody('gzip')).toString()).toBe(text)
    expect(getBody('identity').toString()).toBe(text)
    expect(getBody('br').length).toBeLessThan(Buffer.byteLength(text) / 2)
  })

  it('is smaller with a higher quality', async () => {
    const lowQuality = await compress(`${text}${JSON.stringify(process.versions)}`, 1)
    const maxQuality = await compress(`${text}${JSON.stringify(process.versions)}`)
    const getSize = (encodedVariants: Variants) => encodedVariants.get('br')?.body.length ?? 0
    expect(getSize(maxQuality)).toBeLessThan(getSize(lowQuality))
  })

  it('has a stable ETag that differs for each coding', () => {
    expect(new Set([getEtag('br'), getEtag('gzip'), getEtag('identity')]).size).toBe(3)
    expect(makeVariant(new Uint8Array([1, 2])).etag).toBe(makeVariant(new Uint8Array([1, 2])).etag)
    expect(getEtag('br')).toMatch(/^"[\w-]{22}"$/)
  })
})

describe('the coding of a response', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['deflate', 'identity'],
    ['BR', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5,br;q=0.5', 'br'],
    ['gzip;q=0.001', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['identity', 'identity'],
    ['identity;q=0.5, br;q=0.4', 'identity'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0, *;q=0', 'identity'],
    [',;q=1,, ;br', 'identity'],
  ] as const)('for Accept-Encoding %j is %s', async (acceptEncoding, coding) => {
    const response = await requestVariant(
      acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
    )
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(getBody(coding))
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/plain',
      'content-length': String(getBody(coding).length),
      etag: getEtag(coding),
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    })
  })

  it('is identity if no other is available', async () => {
    const identityOnly = new Map([['identity' as const, makeVariant(new Uint8Array([1]))]])
    const response = await requestVariant(
      { 'accept-encoding': 'br, identity;q=0' },
      { codings: identityOnly },
    )
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([1]))
  })
})

describe('a cached response', () => {
  const createBrowserHeaders = (ifNoneMatch: string) => ({
    'accept-encoding': 'br',
    'if-none-match': ifNoneMatch.replace('TAG', getEtag('br')),
  })

  it.each(['TAG', 'W/TAG', '"other", TAG', '"other",W/TAG', '*'])(
    'is not sent again: %s',
    async (ifNoneMatch) => {
      const response = await requestVariant(createBrowserHeaders(ifNoneMatch))
      expect([response.status, await response.text()]).toEqual([304, ''])
      expect(response.headers.get('etag')).toBe(getEtag('br'))
      expect(response.headers.get('content-type')).toBe('text/plain')
    },
  )

  it('is sent again if the version or coding differs', async () => {
    for (const ifNoneMatch of ['"other"', getEtag('gzip'), getEtag('br').slice(1, -1), '']) {
      expect((await requestVariant(createBrowserHeaders(ifNoneMatch))).status).toBe(200)
    }
  })

  it('is sent again if the status is 404', async () => {
    const response = await requestVariant(createBrowserHeaders('TAG'), { status: 404 })
    expect(response.status).toBe(404)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(getBody('br'))
  })
})
