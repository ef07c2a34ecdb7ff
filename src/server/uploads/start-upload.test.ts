import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makeFile, makePerson } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { requestUpload } from '../../../tests/support/upload-requests.ts'

const megabyte = 1024 ** 2

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('POST /api/files/get-upload-url', () => {
  it('returns a presigned URL, a random key and the cleaned name', async () => {
    const person = await makePerson(app)
    const response = await requestUpload(person, { fileName: ' a<b>: “c” .txt' })
    expect(response.status).toBe(200)
    const startedUpload = await json<{ uploadUrl: string; cloudKey: string }>(response)
    expect(startedUpload).toMatchObject({
      metadata: {
        originalName: 'ab c .txt',
        mimeType: 'text/plain',
        size: 10,
        expirationDays: '3',
      },
    })
    expect(startedUpload.uploadUrl).toContain(`${app.url}/storage/${startedUpload.cloudKey}`)
    expect(startedUpload.cloudKey).not.toContain('txt')
  })

  it('removes lone surrogates from a name', async () => {
    const file = await makeFile(await makePerson(app), { name: '\ud800no\udc00tes.txt' })
    expect(file.originalName).toBe('notes.txt')
    const { headers } = await fetch(`${app.url}/api/download/${file.shortCode}`)
    expect(headers.get('content-disposition')).toContain("filename*=UTF-8''notes.txt")
  })

  it.each([
    ['no name', { fileName: undefined }],
    ['an empty name', { fileName: '' }],
    ['a number as the name', { fileName: 7 }],
    ['a name of 2,000 characters', { fileName: 'x'.repeat(2000) }],
    ['no size', { fileSize: undefined }],
    ['a negative size', { fileSize: -1 }],
    ['a fractional size', { fileSize: 0.5 }],
    ['a size as a string', { fileSize: '10' }],
    ['an unsafe integer', { fileSize: 2 ** 60 }],
    ['a malformed type', { fileType: 'text' }],
    ['a type with a line break', { fileType: 'text/plain\r\nx: y' }],
    ['an object as the type', { fileType: {} }],
    ['4 days', { expirationDays: '4' }],
    ['a missing expiry', { expirationDays: undefined }],
    ['an invalid expiry', { expirationDays: 'always' }],
  ])('refuses %s', async (_, changes) => {
    const response = await requestUpload(await makePerson(app), changes)
    expect(response.status).toBe(400)
    const field = Object.keys(changes)[0]
    expect(await response.json()).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`${field}: `),
    })
  })

  it('stores a file without a type as application/octet-stream', async () => {
    const startedUpload = await json<object>(
      await requestUpload(await makePerson(app), { fileType: '' }),
    )
    expect(startedUpload).toMatchObject({ metadata: { mimeType: 'application/octet-stream' } })
  })

  it.each([
    ['free', 500 * megabyte, '3', 200, undefined],
    ['free', 500 * megabyte + 1, '3', 413, 'TIER_FILE_SIZE'],
    ['free', 1024 * megabyte + 1, '3', 413, 'FILE_TOO_LARGE'],
    ['free', 1, '5', 403, 'TIER_EXPIRATION'],
    ['free', 1, '7', 403, 'TIER_EXPIRATION'],
    ['premium', 1024 * megabyte, '7', 200, undefined],
    ['premium', 1024 * megabyte + 1, '3', 413, 'FILE_TOO_LARGE'],
    ['premium', 0, '5', 200, undefined],
  ] as const)(
    'answers %s, %i bytes, %s days with %i',
    async (tier, fileSize, expirationDays, status, code) => {
      const response = await requestUpload(await makePerson(app, { tier }), {
        fileSize,
        expirationDays,
      })
      expect(response.status).toBe(status)
      if (code) expect(await response.json()).toMatchObject({ code })
    },
  )

  it('enforces the Free limits after a trial has ended', async () => {
    const person = await makePerson(app, { tier: 'premium', premiumTrialEndsAt: app.clock() })
    expect((await requestUpload(person, { expirationDays: '5' })).status).toBe(403)
  })
})
