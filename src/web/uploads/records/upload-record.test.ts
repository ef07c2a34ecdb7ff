import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uploadRecord, uploadTicket } from '../../../../tests/support/upload-fixtures.ts'
import { parseRecord } from './upload-record.ts'

/**
 * Written by version 0.9.10 during a multipart upload. Don't change it, because an upload paused
 * before an update must be able to continue after it.
 */
const uploadingRecordJson =
  `{"id":"0mf2k8q1c-00001-9f3c2a7be01d4456","ownerId":"u_7Qk2","batch":"51c0ffee12345678",
"path":"background","fileName":"film.mkv","fileSize":53477376,"fileType":"video/x-matroska",
"identity":{"name":"film.mkv","size":53477376,"lastModified":1752300000123,"sample":"${'ab'.repeat(32)}"},
"pasted":false,"expirationDays":3,"ticket":{"uploadUrl":"http://127.0.0.1:3000/storage/k?sig=x",
"cloudKey":"k9","metadata":{"originalName":"film.mkv","mimeType":"video/x-matroska","size":53477376,
"expirationDays":"3"},"checksum":"crc32","parts":{"size":8388608,"count":7}},"restarted":false,
"uploadStartTime":1752314400000.5,"progress":15,"uploadedBytes":8388608,"status":"uploading","need":null,
"lastActivity":1752314405000,"error":null}`.replaceAll('\n', '')

/**
 * Written by version 0.9.10 for a small pasted file in an S3 bucket, paused until its owner signs
 * in.
 */
const signedOutRecordJson =
  `{"id":"0mf2k8q1d-00002-9f3c2a7be01d4457","ownerId":"u_7Qk2","batch":"51c0ffee12345679",
"path":"foreground","fileName":"Pasted text 2025-07-12 at 10.00.00.txt","fileSize":0,"fileType":"",
"identity":{"name":"a.txt","size":0,"lastModified":-1,"sample":null},"pasted":true,"expirationDays":7,
"ticket":{"uploadUrl":"https://bucket.example/k?X-Amz-Signature=x","cloudKey":"k","metadata":
{"mimeType":"application/octet-stream"},"checksum":"md5"},"restarted":true,"uploadStartTime":null,
"progress":0,"uploadedBytes":0,"status":"paused","need":"sign-in","lastActivity":1752314405000,
"error":null}`.replaceAll('\n', '')

describe('a record', () => {
  test.each([uploadingRecordJson, signedOutRecordJson])(
    'of version 0.9.10 is read in full: %s',
    (json) => {
      const writtenRecord = JSON.parse(json)
      // Later versions recognize files without a sample of their bytes.
      delete writtenRecord.identity.sample
      expect(parseRecord(json)).toEqual(writtenRecord)
    },
  )

  test.each(['pending', 'uploading', 'paused', 'completed', 'failed'] as const)(
    'with the status %s is read unchanged',
    (status) => {
      const ticket = { ...uploadTicket({ checksum: 'md5' }), parts: { size: 8, count: 2 } }
      const fullRecord = uploadRecord({ ticket, status, error: 'No.', uploadStartTime: 5 })
      expect(parseRecord(JSON.stringify(fullRecord))).toEqual(fullRecord)
      expect(parseRecord(JSON.stringify({ ...fullRecord, ticket: null }))).toMatchObject({ status })
    },
  )

  test('keeps unknown metadata of its ticket, which is returned to the server', () => {
    const metadata = { ...uploadTicket().metadata, later: { more: [1] } }
    const json = JSON.stringify(uploadRecord({ ticket: uploadTicket({ metadata }) }))
    expect(parseRecord(json)?.ticket?.metadata).toEqual(metadata)
  })

  test('drops presigned part URLs', () => {
    const parts = { size: 8, count: 2, urls: { 1: '/one' } }
    const json = JSON.stringify(uploadRecord({ ticket: { ...uploadTicket(), parts } as never }))
    expect(parseRecord(json)?.ticket?.parts).toEqual({ size: 8, count: 2 })
  })

  const validRecord = uploadRecord({ ticket: uploadTicket() })
  test.each([
    { status: 'done' },
    { path: 'sideways' },
    { fileSize: -1 },
    { fileSize: 1.5 },
    { fileSize: '1' },
    { progress: 101 },
    { expirationDays: 0 },
    { expirationDays: 1.5 },
    { need: undefined },
    { need: 'money' },
    { ticket: { uploadUrl: 'x' } },
    { ticket: { ...validRecord.ticket, checksum: 'crc64' } },
    { ticket: { ...validRecord.ticket, metadata: {} } },
    { ticket: { ...validRecord.ticket, parts: { size: 8 } } },
    { identity: null },
    { lastActivity: null },
    { ownerId: undefined },
  ])('with %j is rejected', (change) => {
    expect(parseRecord(JSON.stringify({ ...validRecord, ...change }))).toBeNull()
  })

  test('is never parsed from other text, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseRecord(text)).toBeNull()
      }),
    )
  })
})
