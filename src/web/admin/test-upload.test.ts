// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorResponse, openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { testUpload } from './test-upload.ts'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

const bucket = 'https://bucket.example.org'

/** Runs the upload test. Storage sends `response`. If undefined, storage is unreachable. */
function runTest(origin: string, response?: Response) {
  page.on('POST /api/admin/test-s3-upload', () => ({ uploadUrl: `${origin}/key?signature=x` }))
  if (response) page.on('PUT /key', () => response)
  return testUpload()
}

function makeEmptyResponse(code: number): Response {
  return new Response(null, { status: code })
}

describe('the upload test', () => {
  it.each([200, 204])('sends the announced bytes and reports the duration (%i)', async (code) => {
    expect(await runTest('', makeEmptyResponse(code))).toEqual({
      ok: true,
      text: expect.stringMatching(/^1 MB sent in \d+\.\d s$/),
    })
    expect(page.requests.map(({ call, body }) => [call, body])).toEqual([
      [
        'POST /api/admin/test-s3-upload',
        {
          fileName: 'storage-test.bin',
          fileSize: 1024 ** 2,
          fileType: 'application/octet-stream',
        },
      ],
      ['PUT /key', undefined],
    ])
  })

  it('suggests missing write permission on status 403', async () => {
    const forbiddenResponse = new Response('<Error><Code>AccessDenied</Code></Error>', {
      status: 403,
    })
    expect(await runTest(bucket, forbiddenResponse)).toMatchObject({
      ok: false,
      text: 'Direct S3 upload failed with status 403',
      note: expect.stringMatching(/\(AccessDenied\).*lacks write permission.*s3:PutObject/),
    })
  })

  it.each([
    [403, /clocks and AUTH_SECRET.*write permission in DATA_DIR/],
    [507, /free space in DATA_DIR/],
  ])(
    'does not mention a bucket if this server stores the files (%i)',
    async (code, expectedNote) => {
      const result = await runTest('', makeEmptyResponse(code))
      expect(result.text).toBe(`Upload failed with status ${code}`)
      expect(result.note).toMatch(expectedNote)
      expect(result.note).not.toMatch(/s3:|bucket|key/i)
    },
  )

  it('distinguishes a CORS failure from unreachable storage', async () => {
    const unreachableBucketOutcome = await runTest(bucket)
    expect(unreachableBucketOutcome.text).toBe('Direct S3 upload failed')
    expect(unreachableBucketOutcome.note).toMatch(
      /^bucket\.example\.org cannot be reached .*S3_PUBLIC_ENDPOINT/,
    )
    page.on('GET /', () => makeEmptyResponse(200))
    const corsOutcome = await runTest(bucket)
    // The text mentions write permission because some storage services omit CORS headers when they
    // reject a request.
    expect(corsOutcome.note).toMatch(/answers, .*CORS rule.*lacks write permission.*check CORS/)
  })

  it('does not mention CORS if this server stores the files', async () => {
    expect(await runTest('')).toMatchObject({
      text: 'Upload failed',
      note: expect.stringMatching(/^The connection was lost/),
    })
  })

  it('throws if the server returned no URL', async () => {
    page.on('POST /api/admin/test-s3-upload', () => errorResponse(503, 'UNAVAILABLE'))
    await expect(testUpload()).rejects.toThrow('503')
  })
})
