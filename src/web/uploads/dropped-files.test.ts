import { expect, test } from 'vitest'
import { readDrop } from './dropped-files.ts'

const item = (file: File | null, isDirectory = false, kind = 'file') => ({
  kind,
  getAsFile: () => file,
  webkitGetAsEntry: () => ({ isDirectory }),
})

test('files are taken, folders are named, text and links are left alone', () => {
  const photo = new File(['x'], 'photo.jpg')
  const drop = readDrop([
    item(photo),
    item(new File([], 'holiday'), true),
    item(null, false, 'string'),
    item(null),
  ])
  expect(drop).toEqual({ files: [photo], folders: ['holiday'] })
})

test('a browser that knows no entries gives files', () => {
  const photo = new File(['x'], 'photo.jpg')
  expect(readDrop([{ kind: 'file', getAsFile: () => photo }]).files).toEqual([photo])
})
