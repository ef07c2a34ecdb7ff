import { parse } from 'content-disposition'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { AppError } from '../errors.ts'
import { contentDisposition, rejectExecution, safeContentType } from './download-headers.ts'

describe('the Content-Type of a file', () => {
  it.each([
    'text/javascript',
    'TEXT/JavaScript',
    'text/javascript1.5',
    'text/x-javascript',
    'text/ecmascript',
    'text/x-ecmascript',
    'text/jscript',
    'text/livescript',
    'application/javascript',
    'application/x-javascript',
    'application/ecmascript',
    'application/x-ecmascript',
    'text/css',
    'text/html',
    'text/xml',
    'text/xsl',
    'application/xml',
    'application/xhtml+xml',
    'application/rss+xml',
    'application/xslt+xml',
    'image/svg+xml',
    'application/manifest+json',
    'application/wasm',
    'multipart/x-mixed-replace',
  ])('is application/octet-stream instead of %s', (type) => {
    expect(safeContentType(type)).toBe('application/octet-stream')
  })

  it.each([
    'text/plain',
    'text/csv',
    'image/png',
    'video/mp4',
    'application/pdf',
    'application/json',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/java-archive',
    'Application/Zip',
  ])('is unchanged for %s', (type) => {
    expect(safeContentType(type)).toBe(type)
  })
})

describe('a request for a file', () => {
  it.each([
    'script',
    'style',
    'worker',
    'sharedworker',
    'serviceworker',
    'audioworklet',
    'manifest',
    'xslt',
    'embed',
    'object',
    'font',
    'something-new',
  ])('is rejected with the destination %s', (destination) => {
    expect(() => rejectExecution({ 'sec-fetch-dest': destination })).toThrow(
      new AppError('DOWNLOAD_ONLY'),
    )
  })

  it('is rejected for a service worker, whatever its destination', () => {
    for (const destination of [{}, { 'sec-fetch-dest': 'empty' }]) {
      const headers = { 'service-worker': 'script', ...destination }
      expect(() => rejectExecution(headers)).toThrow(new AppError('DOWNLOAD_ONLY'))
    }
  })

  it.each(['document', 'empty', 'iframe', 'image', 'video'])(
    'is allowed with the destination %s, which runs nothing',
    (destination) => {
      expect(() => rejectExecution({ 'sec-fetch-dest': destination })).not.toThrow()
    },
  )

  it('is allowed without a destination, as from programs other than browsers', () => {
    expect(() => rejectExecution({})).not.toThrow()
  })
})

it('Content-Disposition is a valid header for any name, even with invalid Unicode', () => {
  const names = fc.array(fc.oneof(anyText(), fc.constantFrom('\ud800', '\udc00')))
  fc.assert(
    fc.property(names, (pieces) => {
      const name = pieces.join('')
      const header = contentDisposition(name)
      expect(header).toMatch(/^attachment; filename=[\x20-\x7e]+; filename\*=UTF-8''[\x21-\x7e]*$/)
      expect(parse(header).parameters.filename).toBe(name.toWellFormed())
    }),
  )
})
