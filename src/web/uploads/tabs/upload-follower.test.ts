import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryHandles } from '../../../../tests/support/browser-memory.ts'
import { fileNamed, uploadRecord } from '../../../../tests/support/upload-facts.ts'
import { createUploadData, type UploadData } from '../engine/upload-data.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { createFollower, type UploadFollower } from './upload-follower.ts'
import type { Live, OwnedCommand } from './upload-leader.ts'

let kept: UploadRecord[]
let data: UploadData
let sent: OwnedCommand[]
let toasts: string[]
let refreshes: number
let changes: number
let isAwake: boolean
let follower: UploadFollower

function live(changed: Partial<Live> = {}): Live {
  return {
    ownerId: 'ada',
    live: {},
    inlineError: null,
    outcome: null,
    wanted: [],
    notice: null,
    stored: 'first',
    ...changed,
  }
}
function write(record: UploadRecord) {
  return follower.hearStorage(`mayfly.upload.${record.id}`, JSON.stringify(record))
}
function pass(ms: number) {
  return vi.advanceTimersByTimeAsync(ms)
}

beforeEach(() => {
  vi.useFakeTimers()
  kept = []
  sent = []
  toasts = []
  refreshes = 0
  changes = 0
  isAwake = false
  data = createUploadData(memoryHandles(new Map()), async () => null)
  follower = createFollower({
    timers: browserTimers,
    records: { load: () => kept },
    data,
    page: {
      onStored: () => {
        refreshes += 1
      },
      onNotice: ({ title }) => toasts.push(title),
      mostSlots: () => 3,
    },
    user: () => 'ada',
    keepAwake: (isWanted) => {
      isAwake = isWanted
    },
    send: (command) => sent.push(command),
    onChange: () => {
      changes += 1
    },
  })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a tab that follows', () => {
  test('shows the records of its own user, from storage, with what the leader tells of them', () => {
    kept = [uploadRecord({ id: '1' }), uploadRecord({ id: '2', ownerId: 'bob' })]
    follower.begin()
    follower.hear(live({ inlineError: 'No.', outcome: 'Done' }))
    expect(follower.shown('ada')).toMatchObject({
      records: [{ id: '1' }],
      inlineError: 'No.',
      outcome: 'Done',
    })
    expect(follower.shown('bob')).toMatchObject({ records: [{ id: '2' }], inlineError: null })
  })

  test('keeps the device awake while uploads run, and shows each change', async () => {
    follower.begin()
    expect([isAwake, changes]).toEqual([false, 1])
    write(uploadRecord({ status: 'uploading' }))
    expect([isAwake, changes]).toEqual([true, 2])
    await pass(100)
    write(uploadRecord({ status: 'paused' }))
    expect(isAwake).toBe(false)
    write(uploadRecord({ status: 'uploading' }))
    await pass(100)
    follower.end()
    expect(isAwake).toBe(false)
  })

  test('tells what happened since it listens, once, and nothing of other users', () => {
    follower.begin()
    const notice = { id: 'a', notice: { kind: 'toast', title: 'Done', failed: false } } as const
    follower.hear(live({ notice }))
    expect([toasts, refreshes]).toEqual([[], 0])
    follower.hear(live({ notice: { ...notice, id: 'b' }, stored: 'second' }))
    follower.hear(live({ notice: { ...notice, id: 'b' }, stored: 'second' }))
    follower.hear(live({ ownerId: 'bob', notice: { ...notice, id: 'c' }, stored: 'third' }))
    expect([toasts, refreshes]).toEqual([['Done'], 1])
  })

  test('gives the leader the files that it wants and this tab has, once for each time', () => {
    const picked = { file: fileNamed('a.txt') }
    data.keepInMemory('1', picked)
    follower.begin()
    for (const wanted of [['1', '2'], ['1'], [], ['1']]) follower.hear(live({ wanted }))
    const command = { ownerId: 'ada', name: 'supplyFile', args: ['1', picked] }
    expect(sent).toEqual([command, command])
  })

  test('lets go of the file of a completed upload, once: it may be given again', async () => {
    data.keepInMemory('1', { file: fileNamed('a.txt') })
    follower.begin()
    write(uploadRecord({ status: 'completed' }))
    await pass(100)
    expect(data.ids()).toEqual([])
    data.keepInMemory('1', { file: fileNamed('a.txt') })
    write(uploadRecord({ id: '2' }))
    await pass(100)
    expect(data.ids()).toEqual(['1'])
  })

  test('lets go of files without a record only at the second look, and then looks no more', async () => {
    data.keepInMemory('1', { file: fileNamed('a.txt') })
    follower.begin()
    await pass(60_000)
    expect(data.ids()).toEqual(['1'])
    await pass(60_000)
    expect(data.ids()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    data.keepInMemory('2', { file: fileNamed('b.txt') })
    follower.keepFiles()
    await pass(60_000)
    write(uploadRecord({ id: '2' }))
    await pass(120_000)
    expect(data.ids()).toEqual(['2'])
  })

  test('hears of nothing that is written while this tab leads', () => {
    expect(write(uploadRecord())).toBe(false)
    follower.begin()
    expect(write(uploadRecord())).toBe(true)
    follower.end()
    expect(follower.shown('ada').records).toEqual([])
  })
})
