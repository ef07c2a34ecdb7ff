import { expect, test } from 'vitest'
import { type ClipboardContent, readPaste } from './pasted-files.ts'

const now = new Date(2026, 10, 21, 14, 3, 22)

function makeClipboard(text: string, ...files: File[]): ClipboardContent {
  return {
    items: files.map((file) => ({ kind: 'file', getAsFile: () => file })),
    getData: () => text,
  }
}

/** Creates a pasted picture that isn't a file on disk, as browsers do. */
function createPicture(name: string, type: string, lastModified = now.getTime() - 50) {
  return new File(['pixels'], name, { type, lastModified })
}

async function readFiles(clipboard: ClipboardContent) {
  const { files } = await readPaste(clipboard, now)
  return files.map(({ file, isPasted }) => ({ name: file.name, type: file.type, isPasted }))
}

test('a pasted picture is named after its paste time', async () => {
  expect(await readFiles(makeClipboard('', createPicture('image.png', 'image/png')))).toEqual([
    { name: 'Pasted image 2026-11-21 at 14.03.22.png', type: 'image/png', isPasted: true },
  ])
})

test('a picture in several formats becomes one file', async () => {
  const formats = [
    createPicture('image.tiff', 'image/tiff'),
    createPicture('image.png', 'image/png'),
  ]
  expect(await readFiles(makeClipboard('', ...formats))).toEqual([
    { name: 'Pasted image 2026-11-21 at 14.03.22.tiff', type: 'image/tiff', isPasted: true },
  ])
})

test('pasted text becomes a file unchanged', async () => {
  const text = '  dünne Bretter\r\n→ ✓\n'
  const { files } = await readPaste(makeClipboard(text), now)
  expect(files).toHaveLength(1)
  expect(files[0]?.file.name).toBe('Pasted text 2026-11-21 at 14.03.22.txt')
  expect(files[0]?.file.type).toBe('text/plain')
  expect(files[0]?.file.lastModified).toBe(now.getTime())
  expect(await files[0]?.file.text()).toBe(text)
})

test('rich text becomes a text file, not a picture', async () => {
  const [file, ...others] = await readFiles(
    makeClipboard('a table', createPicture('image.png', 'image/png')),
  )
  expect(file?.name).toBe('Pasted text 2026-11-21 at 14.03.22.txt')
  expect(others).toEqual([])
})

test('files copied in a file manager keep their names', async () => {
  const files = [
    new File(['a'], 'report.pdf', { type: 'application/pdf', lastModified: now.getTime() }),
    createPicture('harbour.png', 'image/png'),
    createPicture('image.png', 'image/png', new Date(2020, 0, 1).getTime()),
  ]
  const clipboard = makeClipboard('/home/ann/report.pdf', ...files)
  expect(await readFiles(clipboard)).toEqual([
    { name: 'report.pdf', type: 'application/pdf', isPasted: undefined },
    { name: 'harbour.png', type: 'image/png', isPasted: undefined },
    { name: 'image.png', type: 'image/png', isPasted: undefined },
  ])
})

test('an empty clipboard or whitespace creates no file', async () => {
  expect(await readFiles(makeClipboard(''))).toEqual([])
  expect(await readFiles(makeClipboard(' \n\t'))).toEqual([])
})
