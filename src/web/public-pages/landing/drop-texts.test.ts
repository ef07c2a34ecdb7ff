import { expect, it } from 'vitest'
import { filesWithSize, notKeptText, tooLargeText } from './drop-texts.ts'

const mebibyte = 1024 ** 2
const film = { name: 'rough-cut.mov', size: 812 * mebibyte }
const photo = { name: 'photo.jpg', size: 4 * mebibyte }

it.each([
  [[film], 'rough-cut.mov (812 MB)'],
  [[film, photo], '2 files (816 MB)'],
  [[], '0 files (0 Bytes)'],
])('%# describes files with their size', (files, text) => {
  expect(filesWithSize(files)).toBe(text)
})

it('explains why files could not be stored, and what to do', () => {
  expect(notKeptText([film], 'space')).toBe(
    'This browser has too little space for rough-cut.mov (812 MB). Upload from the dashboard instead.',
  )
  expect(notKeptText([film, photo], 'count')).toContain('2 files (816 MB)')
})

it.each([
  [[film], 'rough-cut.mov (812 MB) exceeds the limit of 1GB.'],
  [[film, photo], '2 files exceed the limit of 1GB.'],
  [[], ''],
])('%# reports files that are too large', (files, text) => {
  expect(tooLargeText(files, '1GB')).toBe(text)
})
