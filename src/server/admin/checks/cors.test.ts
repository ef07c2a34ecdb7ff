import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../config/config.ts'
import type { Storage } from '../../storage/storage.ts'
import { createStores } from '../../storage/stores.ts'
import { checkCors } from './cors.ts'

const origin = 'http://files.example.org'

/**
 * A fake bucket that answers every request, including preflights, with the response set by the
 * test.
 */
let bucket: Server
let url: string
let respond: (response: ServerResponse) => void
beforeAll(async () => {
  bucket = createServer((_, response) => {
    respond(response)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(bucket, 'listening')
  url = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}/bucket`
})
afterAll(() => new Promise((resolve) => bucket.close(resolve)))

async function runCheck() {
  const config = readConfig({
    APP_URL: origin,
    S3_ENDPOINT: new URL(url).origin,
    S3_BUCKET: 'bucket',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
  })
  const store: Pick<Storage, 'name' | 'signUpload' | 'remove'> = {
    name: 's3',
    signUpload: async () => url,
    remove: async () => undefined,
  }
  const stores = createStores(store as Storage)
  const log = { warn() {} } as never
  return await checkCors({ clock: () => new Date(), config, stores, log })
}

it.each([
  [204, 'https://other.example.org', `preflight request does not name ${origin}. Uploads fail.`],
  [403, origin, 'preflight request was 403. Uploads fail.'],
  [403, 'null', `preflight request was 403 and does not name ${origin}. Uploads fail.`],
])(
  'describes only what is wrong with status %d and allowed origin %s',
  async (status, allowedOrigin, message) => {
    respond = (response) => {
      response.writeHead(status, { 'access-control-allow-origin': allowedOrigin })
    }
    expect(await runCheck()).toMatchObject([
      { status: 'failing', message: expect.stringContaining(message) },
    ])
  },
)

it.each([
  ['ETag', 'ok', 'can upload to'],
  ['x-amz-request-id, etag', 'ok', 'can upload to'],
  ['*', 'ok', 'can upload to'],
  ['x-amz-request-id', 'failing', 'pages cannot read the header ETag'],
])('with the exposed headers %s, the check is %s', async (exposedHeaders, status, message) => {
  respond = (response) => {
    response.writeHead(200, {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': '*',
      'access-control-allow-headers': '*',
      'access-control-expose-headers': exposedHeaders,
    })
  }
  expect(await runCheck()).toMatchObject([{ status, message: expect.stringContaining(message) }])
})
