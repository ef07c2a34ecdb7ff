import { expect, test } from 'vitest'
import { type DropItem, dropError, readDrop } from './dropped-files.ts'

type Tree = { [name: string]: string | Tree | Error }

/**
 * Creates a fake file or folder entry. As in browsers, each call to `readEntries` returns up to 100
 * of a folder's entries, then an empty list once all have been read.
 */
function makeEntry(name: string, content: string | Tree | Error): FileSystemEntry {
  const entry = { name, isFile: false, isDirectory: false }
  if (content instanceof Error) {
    const file = (_: unknown, reject: (error: Error) => void) => reject(content)
    return { ...entry, isFile: true, file } as unknown as FileSystemEntry
  }
  if (typeof content === 'string') {
    const file = (resolve: (file: File) => void) => resolve(new File([content], name))
    return { ...entry, isFile: true, file } as unknown as FileSystemEntry
  }
  const createReader = () => {
    const remainingEntries = Object.entries(content).map(([child, of]) => makeEntry(child, of))
    return {
      readEntries: (resolve: (entries: FileSystemEntry[]) => void) =>
        resolve(remainingEntries.splice(0, 100)),
    }
  }
  return { ...entry, isDirectory: true, createReader } as unknown as FileSystemEntry
}

/** Creates a fake file or folder handle, as in Chromium. */
function makeHandle(name: string, content: string | Tree | Error): FileSystemHandle {
  if (typeof content === 'string' || content instanceof Error) {
    const getFile = async () => {
      if (content instanceof Error) throw content
      return new File([content], name)
    }
    return { kind: 'file', name, getFile } as unknown as FileSystemHandle
  }
  const values = async function* () {
    for (const [child, of] of Object.entries(content)) yield makeHandle(child, of)
  }
  return { kind: 'directory', name, values } as unknown as FileSystemHandle
}

/**
 * Simulates a drop of files and folders, and reads it. As in browsers, the items are inaccessible
 * once the drop event has ended.
 */
function readTree(tree: Tree, { handles = false, entries = true } = {}) {
  let isEventOver = false
  const nullAfterEvent = <T>(value: T): T | null => (isEventOver ? null : value)
  const items = Object.entries(tree).map(([name, content]): DropItem => {
    const item: DropItem = {
      kind: 'file',
      getAsFile: () => nullAfterEvent(new File([typeof content === 'string' ? content : ''], name)),
    }
    if (entries) item.webkitGetAsEntry = () => nullAfterEvent(makeEntry(name, content))
    if (handles) item.getAsFileSystemHandle = async () => nullAfterEvent(makeHandle(name, content))
    return item
  })
  const dropPromise = readDrop(items)
  isEventOver = true
  return dropPromise
}

function getNames(files: readonly { file: File }[]) {
  return files.map(({ file }) => file.name)
}

test('text and links are ignored', async () => {
  const text = { kind: 'string', getAsFile: () => null, webkitGetAsEntry: () => null }
  const emptyItem = { kind: 'file', getAsFile: () => null }
  expect(await readDrop([text, emptyItem])).toEqual({ files: [], unreadable: [] })
})

test('files are read in a browser without entries or handles', async () => {
  const { files } = await readTree({ 'photo.jpg': 'x' }, { entries: false })
  expect(getNames(files)).toEqual(['photo.jpg'])
  expect(files[0]?.handle).toBeUndefined()
})

const holidayFolder: Tree = {
  'notes.txt': 'top',
  holiday: {
    'b10.jpg': 'b10',
    'b9.jpg': 'b9',
    '.DS_Store': 'system',
    'Thumbs.db': 'system',
    'Desktop.ini': 'system',
    raw: { 'a.raw': 'raw', deeper: { 'z.raw': 'z' } },
    empty: {},
    'a.jpg': 'a',
  },
}

test.each([{ handles: false }, { handles: true }])(
  'a folder is read with its subfolders, excluding system files: %o',
  async (browser) => {
    const { files, unreadable } = await readTree(holidayFolder, browser)
    expect(getNames(files)).toEqual(['notes.txt', 'a.jpg', 'b9.jpg', 'b10.jpg', 'a.raw', 'z.raw'])
    expect(await files.at(-1)?.file.text()).toBe('z')
    expect(unreadable).toEqual([])
    for (const { handle } of files) expect(handle !== undefined).toBe(browser.handles)
  },
)

test('a system file is read if it was dropped by itself', async () => {
  expect(getNames((await readTree({ 'desktop.ini': 'x' })).files)).toEqual(['desktop.ini'])
})

test.each([{ handles: false }, { handles: true }])('reads a huge folder: %o', async (browser) => {
  const manyFiles: Tree = {}
  for (let i = 0; i < 2345; i++) manyFiles[`${i}.txt`] = String(i)
  const { files } = await readTree({ many: manyFiles }, browser)
  expect(getNames(files)).toEqual(Array.from({ length: 2345 }, (_, i) => `${i}.txt`))
})

test.each([{ handles: false }, { handles: true }])(
  'unreadable files are reported by name, and the others are read: %o',
  async (browser) => {
    const folder = { 'a.txt': 'a', 'locked.txt': new Error('no right to it'), 'z.txt': 'z' }
    const { files, unreadable } = await readTree({ folder }, browser)
    expect(getNames(files)).toEqual(['a.txt', 'z.txt'])
    expect(unreadable).toEqual(['locked.txt'])
  },
)

test('a folder with an unreadable handle is read via its entry', async () => {
  const item: DropItem = {
    kind: 'file',
    getAsFile: () => null,
    webkitGetAsEntry: () => makeEntry('home', { 'a.txt': 'a' }),
    getAsFileSystemHandle: () => Promise.reject(new DOMException('no', 'AbortError')),
  }
  expect(getNames((await readDrop([item])).files)).toEqual(['a.txt'])
})

test('an unreadable folder is reported by name', async () => {
  const createReader = () => ({
    readEntries: (_: unknown, reject: (error: Error) => void) =>
      reject(new Error('no right to it')),
  })
  const entry = { name: 'locked', isFile: false, isDirectory: true, createReader }
  const item: DropItem = {
    kind: 'file',
    getAsFile: () => null,
    webkitGetAsEntry: () => entry as unknown as FileSystemEntry,
  }
  expect(await readDrop([item])).toEqual({ files: [], unreadable: ['locked'] })
})

test('an incomplete or empty drop has an error text', () => {
  const files = [{ file: new File(['a'], 'a.txt') }]
  expect(dropError({ files, unreadable: [] })).toBeNull()
  expect(dropError({ files: [], unreadable: [] })?.title).toBe('Nothing to upload')
  expect(dropError({ files, unreadable: ['b', 'c', 'd'] })).toEqual({
    title: 'Some files could not be read',
    description: 'b and 2 more. Check that the browser may read them and that they still exist.',
  })
  expect(dropError({ files: [], unreadable: ['b'] })?.title).toBe('Could not be read')
})
