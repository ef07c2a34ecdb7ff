import { expect, it } from 'vitest'
import { describeFiles, keepErrorText, tooLargeText } from './drop-texts.ts'

const mebibyte = 1024 ** 2
const video = { name: 'rough-cut.mov', size: 812 * mebibyte }
const photo = { name: 'photo.jpg', size: 4 * mebibyte }

it.each([
  [[video], 'rough-cut.mov (812 MB)'],
  [[video, photo], '2 files (816 MB)'],
  [[], '0 files (0 Bytes)'],
])('describes files with their size: %j', (files, text) => {
  expect(describeFiles(files)).toBe(text)
})

it('explains why files could not be stored, and what to do', () => {
  expect(keepErrorText([video], 'space')).toBe(
    'This browser has too little space for rough-cut.mov (812 MB). Upload from the dashboard instead.',
  )
  expect(keepErrorText([video, photo], 'count')).toContain('2 files (816 MB)')
})

it.each([
  [[video], 'rough-cut.mov (812 MB) exceeds the limit of 1GB.'],
  [[video, photo], '2 files exceed the limit of 1GB.'],
  [[], ''],
])('reports files that are too large: %j', (files, text) => {
  expect(tooLargeText(files, '1GB')).toBe(text)
})
