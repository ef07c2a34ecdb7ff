import { beforeEach, expect, test } from 'vitest'
import { memoryHandles } from '../../../../tests/support/browser-memory.ts'
import { fileNamed, handleTo, uploadRecord } from '../../../../tests/support/upload-facts.ts'
import { createUploadData, type UploadData } from './upload-data.ts'

const file = fileNamed('a.txt')
const { name, size, lastModified } = file
const record = uploadRecord({ identity: { name, size, lastModified, sample: 'of a.txt' } })
function failing(fault: string) {
  return {
    getFile: () => Promise.reject(new DOMException('', fault)),
  } as unknown as FileSystemFileHandle
}

let handles: Map<string, FileSystemFileHandle>
let data: UploadData
let sample: string | Error

beforeEach(() => {
  handles = new Map()
  sample = 'of a.txt'
  data = createUploadData(memoryHandles(handles), async () => {
    if (sample instanceof Error) throw sample
    return sample
  })
})

test('a file in memory is ready; one that is held for another tab leaves no handle', async () => {
  data.keepInMemory('1', { file, handle: handleTo(file) })
  expect(await data.find(record)).toBe('ready')
  expect(handles.size).toBe(0)
  data.drop('1')
  expect(await data.find(record)).toBe('file')
})

test('a file that is kept is found by its handle after a reload, and is in memory then', async () => {
  data.keepWithHandle('1', { file, handle: handleTo(file) })
  data.drop('1')
  expect(await data.find(record)).toBe('ready')
  expect(data.file('1')).toBe(file)
  expect(data.ids()).toEqual(['1'])
})

test('what is forgotten leaves neither file nor handle', async () => {
  data.keepWithHandle('1', { file, handle: handleTo(file) })
  data.forget('1')
  expect(await data.find(record)).toBe('file')
  expect([data.ids(), handles.size]).toEqual([[], 0])
})

test.each([
  ['a person has to allow the file to be read', failing('NotAllowedError'), 'permission'],
  ['the file is gone', failing('NotFoundError'), 'gone'],
  ['another file lies there', handleTo(fileNamed('b.txt')), 'gone'],
])('its handle says that %s', async (_, handle, expected) => {
  handles.set('1', handle)
  expect(await data.find(record)).toBe(expected)
  expect(data.file('1')).toBeUndefined()
})

test.each([
  ['has been written to', 'other bytes'],
  ['cannot be read', new Error('locked')],
])('a file behind a handle that %s is gone', async (_, found) => {
  handles.set('1', handleTo(file))
  sample = found
  expect(await data.find(record)).toBe('gone')
})
