import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type FileKind, fileKind, isMediaType, kindLabel } from './file-kind.ts'

const genericTypes = [
  '',
  'application/octet-stream',
  'application/x-unheard-of',
  'binary/octet-stream',
]

describe('fileKind by media type', () => {
  it.each<[string, FileKind]>([
    ['image/png', 'image'],
    ['image/svg+xml', 'image'],
    ['IMAGE/JPEG', 'image'],
    ['video/mp4', 'video'],
    ['audio/mpeg', 'audio'],
    ['application/pdf', 'pdf'],
    ['application/pdf; version=1.7', 'pdf'],
    ['application/zip', 'archive'],
    ['application/x-zip-compressed', 'archive'],
    ['application/x-7z-compressed', 'archive'],
    ['application/vnd.rar', 'archive'],
    ['application/x-rar-compressed', 'archive'],
    ['application/x-tar', 'archive'],
    ['application/gzip', 'archive'],
    ['application/x-gzip', 'archive'],
    ['application/x-bzip2', 'archive'],
    ['application/x-xz', 'archive'],
    ['application/zstd', 'archive'],
    ['application/java-archive', 'archive'],
    ['application/vnd.ms-cab-compressed', 'archive'],
    ['text/plain', 'document'],
    ['text/csv; charset=utf-8', 'document'],
    ['application/msword', 'document'],
    ['application/vnd.ms-excel', 'document'],
    ['application/vnd.ms-excel.sheet.macroEnabled.12', 'document'],
    ['application/vnd.ms-powerpoint', 'document'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document'],
    ['application/vnd.oasis.opendocument.text', 'document'],
    ['application/rtf', 'document'],
    ['application/epub+zip', 'document'],
    ['application/json', 'document'],
    ['application/ld+json', 'document'],
    ['application/xml', 'document'],
    ['application/x-msdownload', 'other'],
    ['application/vnd.android.package-archive', 'other'],
    ['application/zipper', 'other'],
    ['font/woff2', 'other'],
  ])('%s is %s', (mimeType, kind) => {
    expect(fileKind({ mimeType, originalName: 'name' })).toBe(kind)
  })
})

describe('fileKind by extension, for generic media types', () => {
  it.each<[string, FileKind]>([
    ['photo.HEIC', 'image'],
    ['film.mkv', 'video'],
    ['song.flac', 'audio'],
    ['paper.PDF', 'pdf'],
    ['backup.zip', 'archive'],
    ['backup.7z', 'archive'],
    ['backup.rar', 'archive'],
    ['backup.tar', 'archive'],
    ['backup.tar.gz', 'archive'],
    ['backup.tar.zst', 'archive'],
    ['backup.txz', 'archive'],
    ['letter.docx', 'document'],
    ['table.ods', 'document'],
    ['slides.pptx', 'document'],
    ['readme.md', 'document'],
    ['setup.exe', 'other'],
    ['no extension', 'other'],
    ['ends with a dot.', 'other'],
    ['.pdf', 'other'],
    ['pdf', 'other'],
    ['', 'other'],
    ['name.constructor', 'other'],
  ])('%s is %s', (originalName, kind) => {
    for (const mimeType of genericTypes) expect(fileKind({ mimeType, originalName })).toBe(kind)
  })
})

describe('for any file', () => {
  const kinds = ['image', 'video', 'audio', 'pdf', 'archive', 'document', 'other'] as const

  it('fileKind returns a known kind', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (mimeType, originalName) => {
        expect(kinds).toContain(fileKind({ mimeType, originalName }))
      }),
    )
  })

  it('a specific media type takes precedence over the extension', () => {
    fc.assert(
      fc.property(fc.constantFrom('zip', 'pdf', 'mp3', 'docx', 'png'), (extension) => {
        const originalName = `file.${extension}`
        expect(fileKind({ mimeType: 'video/mp4', originalName })).toBe('video')
        expect(fileKind({ mimeType: 'application/pdf', originalName })).toBe('pdf')
      }),
    )
  })

  it('kindLabel is a singular noun', () => {
    expect(kinds.map(kindLabel)).toEqual([
      'Image',
      'Video',
      'Audio',
      'PDF',
      'Archive',
      'Document',
      'File',
    ])
  })
})

test.each([
  ['image/png', true],
  ['application/vnd.oasis.opendocument.text', true],
  ['image/svg+xml', true],
  ['Text/Plain', true],
  ['', false],
  ['image', false],
  ['image/', false],
  ['a/b/c', false],
  ['text/plain; charset=utf-8', false],
  ["application/x-it's", false],
  ['application/x-(old)', false],
  ['text/plain\n', false],
  [`text/${'a'.repeat(250)}`, true],
  [`text/${'a'.repeat(251)}`, false],
])('isMediaType(%j) is %s', (text, isValid) => {
  expect(isMediaType(text)).toBe(isValid)
})
