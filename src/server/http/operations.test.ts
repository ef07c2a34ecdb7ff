import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson } from '../../../tests/support/make.ts'
import { type HttpResponse, send } from '../../../tests/support/send.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { endpoints } from '../../shared/contract/index.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function getDocument(headers: Record<string, string> = {}): Promise<HttpResponse> {
  return send(app.url, { path: '/api/openapi.json', headers })
}

describe('GET /api/openapi.json', () => {
  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is compressed with %s to less than a fifth', async (coding, decompress) => {
    const uncompressedResponse = await getDocument()
    expect(uncompressedResponse.headers['content-encoding']).toBeUndefined()
    const compressedResponse = await getDocument({ 'accept-encoding': coding })
    expect(compressedResponse.headers).toMatchObject({
      'content-encoding': coding,
      'content-type': 'application/json',
      vary: 'Accept-Encoding',
    })
    expect(decompress(compressedResponse.body)).toEqual(uncompressedResponse.body)
    expect(compressedResponse.body.length).toBeLessThan(uncompressedResponse.body.length / 5)
  })

  it('is sent again only after a limit has changed', async () => {
    const { etag = '' } = (await getDocument()).headers
    const revalidate = () => getDocument({ 'if-none-match': String(etag) })
    expect(await revalidate()).toMatchObject({ status: 304, body: Buffer.alloc(0) })
    const admin = await makePerson(app, { role: 'admin' })
    const body = { key: 'free_max_files', value: 7 }
    const settingsResponse = await admin.post('/api/admin/settings', body)
    expect(settingsResponse.status).toBe(200)
    expect((await revalidate()).status).toBe(200)
  })

  it('is built once for the public origin and once for all other hosts', async () => {
    const { port } = new URL(app.url)
    const readServers = ({ body }: HttpResponse) => JSON.parse(body.toString()).servers
    const firstResponse = await getDocument()
    const summaryGetter = vi.spyOn(endpoints.openApi, 'summary', 'get')
    await Promise.all(Array.from({ length: 10 }, () => getDocument()))
    expect(summaryGetter).not.toHaveBeenCalled()
    expect(readServers(firstResponse)).toEqual([{ url: app.url }])
    const otherHostResponse = await getDocument({ host: `localhost:${port}` })
    expect(readServers(otherHostResponse)).toEqual([{ url: '/' }])
    summaryGetter.mockClear()
    for (const host of ['10.1.2.3', '10.1.2.4', '127.0.0.1', '[::1]']) {
      expect((await getDocument({ host: `${host}:${port}` })).status).toBe(200)
    }
    expect(summaryGetter).not.toHaveBeenCalled()
    summaryGetter.mockRestore()
  })
})

it('GET /api/ready fails during a drain, without logging an error', async () => {
  const drainingApp = await startTestApp()
  drainingApp.announceShutdown()
  expect((await send(drainingApp.url, { path: '/api/ready' })).status).toBe(503)
  expect(drainingApp.logLines.filter(({ level }) => level >= 50)).toEqual([])
  await drainingApp.close()
})
