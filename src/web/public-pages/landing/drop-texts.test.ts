import { describe, expect, it } from 'vitest'
import { filesWithSize, notKeptText, pageAfterDrop, tooLargeText } from './drop-texts.ts'

const mebibyte = 1024 ** 2
const film = { name: 'rough-cut.mov', size: 812 * mebibyte }
const photo = { name: 'photo.jpg', size: 4 * mebibyte }

describe('files in words', () => {
  it.each([
    [[film], 'rough-cut.mov (812 MB)'],
    [[film, photo], '2 files (816 MB)'],
    [[], '0 files (0 Bytes)'],
  ])('%# %j', (files, text) => {
    expect(filesWithSize(files)).toBe(text)
  })
})

describe('a file that is not kept', () => {
  it.each([
    [
      'space',
      '/signup',
      'This browser has too little space to keep rough-cut.mov (812 MB) until then. Sign up or sign in first, then choose it again.',
    ],
    [
      'unsupported',
      '/',
      'This browser cannot keep rough-cut.mov (812 MB). Private windows, for example, store no files. Choose it again on the dashboard.',
    ],
  ] as const)('for %s, where a drop leads to %s', (error, next, text) => {
    expect(notKeptText([film], error, next)).toBe(text)
  })

  it('is counted with the others', () => {
    expect(notKeptText([film, photo], 'count', '/login')).toBe(
      'Too many files are waiting already, so this browser cannot keep 2 files (816 MB). Sign in first, then choose them again.',
    )
  })
})

it.each([
  ['/', '/'],
  ['/signup', '/signup'],
  ['/login', '/login'],
  ['/toString', '/login'],
  ['toString', '/login'],
  [null, '/login'],
])('a drop zone whose link has the path %s leads to %s', (path, page) => {
  expect(pageAfterDrop(path)).toBe(page)
})

describe('a file that is too large', () => {
  it.each([
    [[film], 'rough-cut.mov has 812 MB. The largest file here is 1GB.'],
    [[film, photo], '2 files are larger than 1GB, the largest file here.'],
  ])('%# is refused at once', (files, text) => {
    expect(tooLargeText(files, '1GB')).toBe(text)
  })
})
