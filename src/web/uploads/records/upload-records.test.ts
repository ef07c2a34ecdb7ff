import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryStorage } from '../../../../tests/support/browser-memory.ts'
import { createRecord } from '../engine/new-record.ts'
import type { UploadRecord } from './upload-record.ts'
import { createRecordStore, type RecordStore } from './upload-records.ts'

const day = 24 * 3_600_000

function makeRecord(id: string, changes: Partial<UploadRecord> = {}): UploadRecord {
  return {
    ...createRecord({
      id,
      ownerId: 'ada',
      batch: 'drop',
      path: 'foreground',
      expirationDays: 3,
      picked: { file: new File(['abc'], `${id}.txt`, { lastModified: 0 }) },
      now: Date.now(),
    }),
    ...changes,
  }
}

/** Creates a fake localStorage that can be made full or inaccessible. */
function makeStorage() {
  const values = new Map<string, string>()
  const state = { values, isFull: false, isForbidden: false }
  const storage = createMemoryStorage(values)
  const { setItem } = storage
  storage.setItem = (key, value) => {
    if (state.isFull) throw new DOMException('', 'QuotaExceededError')
    setItem(key, value)
  }
  const open = () => {
    if (state.isForbidden) throw new DOMException('', 'SecurityError')
    return storage
  }
  return { state, open }
}

let state: ReturnType<typeof makeStorage>['state']
let store: RecordStore
let writeCount: number

beforeEach(() => {
  vi.useFakeTimers()
  const storage = makeStorage()
  state = storage.state
  writeCount = 0
  store = createRecordStore(storage.open, Date.now, () => {
    writeCount += 1
  })
})
afterEach(() => {
  vi.useRealTimers()
})

test('stores each record under its own key and loads them oldest first', () => {
  store.save(makeRecord('2'))
  store.save(makeRecord('1'))
  expect([...state.values.keys()].sort()).toEqual(['mayfly.upload.1', 'mayfly.upload.2'])
  expect(store.load()).toEqual([makeRecord('1'), makeRecord('2')])
})

test('a removed record is gone', () => {
  store.save(makeRecord('1'))
  store.save(makeRecord('2'))
  store.remove('1')
  store.remove('2')
  expect(store.load()).toEqual([])
  expect(state.values.size).toBe(0)
})

test('a write to a full localStorage removes the outdated record and never throws', () => {
  store.save(makeRecord('1'))
  state.isFull = true
  store.save(makeRecord('1', { status: 'completed' }))
  expect(store.load()).toEqual([])
})

test('reads and writes of a forbidden localStorage never throw', () => {
  state.isForbidden = true
  store.save(makeRecord('1'))
  store.remove('1')
  expect(store.load()).toEqual([])
})

test('records that ended over 24 h ago are removed for all users, and unfinished ones stay', () => {
  for (const status of ['completed', 'failed', 'paused'] as const) {
    store.save(makeRecord(status, { status, ownerId: 'bob' }))
  }
  vi.setSystemTime(Date.now() + day + 1)
  expect(store.load().map(({ status }) => status)).toEqual(['paused'])
  expect(state.values.size).toBe(1)
})

test('a record that another tab has removed is not written again', () => {
  store.save(makeRecord('1'))
  state.values.clear()
  expect(store.isRemoved('1')).toBe(true)
  store.save(makeRecord('1', { progress: 50 }))
  expect(state.values.size).toBe(0)
  expect(store.isRemoved('2')).toBe(false)
})

test('other tabs are notified of each write, but not of a read', () => {
  store.save(makeRecord('1'))
  store.save(makeRecord('2'))
  store.remove('1')
  store.load()
  expect(writeCount).toBe(3)
})

test('unreadable records are removed, and other keys are unaffected', () => {
  const validRecord = makeRecord('1')
  const unreadableRecords = [
    '',
    'null',
    '[]',
    '{',
    '"x"',
    JSON.stringify({ ...validRecord, status: 'done' }),
    JSON.stringify({ ...validRecord, fileSize: -1 }),
    JSON.stringify({ ...validRecord, ticket: { uploadUrl: 'x' } }),
    JSON.stringify({ ...validRecord, need: undefined }),
    // A valid record stored under another record's key.
    JSON.stringify(validRecord),
  ]
  for (const [index, value] of unreadableRecords.entries()) {
    state.values.set(`mayfly.upload.x${index}`, value)
  }
  state.values.set('mayfly.theme', JSON.stringify(validRecord))
  expect(store.load()).toEqual([])
  expect([...state.values.keys()]).toEqual(['mayfly.theme'])
})
