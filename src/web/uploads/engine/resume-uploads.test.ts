import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryHandles } from '../../../../tests/support/browser-memory.ts'
import {
  fileNamed,
  refusal,
  uploadRecord,
  uploadTicket,
} from '../../../../tests/support/upload-facts.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { browserTimers } from '../timers.ts'
import { wait } from '../transfer/connection.ts'
import { longestWaitMs } from '../transfer/retry-policy.ts'
import type { UploadCalls } from '../transfer/upload-calls.ts'
import { createResumer, type UploadResumer } from './resume-uploads.ts'
import { createUploadData, type UploadData } from './upload-data.ts'

type Listed = Awaited<ReturnType<UploadCalls['listParts']>>

const file = fileNamed('a.txt', 30)
const identity = { name: 'a.txt', size: 30, lastModified: file.lastModified, sample: null }
/** A record of a 30-byte file, paused because its page was reloaded. */
function paused(changes: Partial<UploadRecord> = {}) {
  return uploadRecord({
    fileName: 'a.txt',
    fileSize: 30,
    identity,
    status: 'paused',
    ticket: uploadTicket(),
    lastActivity: Date.now(),
    ...changes,
  })
}
function listed(...sizes: number[]): Listed {
  return {
    ok: true,
    value: { parts: sizes.map((size, index) => ({ partNumber: index + 1, size })) },
  }
}
function refused(...of: Parameters<typeof refusal>): Listed {
  return {
    ok: false,
    refusal: refusal(...of),
  }
}

let records: Map<string, UploadRecord>
let ids: Set<string>
let handles: Map<string, FileSystemFileHandle>
let data: UploadData
/**
 * What the resumer found out, in order: the id of an upload, and where its bytes are. An example
 * is '1 file'.
 */
let found: string[]
let asked: number
let onList: () => Listed | Promise<Listed>
let resumer: UploadResumer

/** Adds a paused record to those that the resumer knows. */
function put(record: UploadRecord) {
  records.set(record.id, record)
  ids.add(record.id)
  return record
}
function pass(ms: number) {
  return vi.advanceTimersByTimeAsync(ms)
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2025-07-12T10:00:00Z') })
  records = new Map()
  ids = new Set()
  handles = new Map()
  found = []
  asked = 0
  onList = () => listed()
  data = createUploadData(memoryHandles(handles), async () => null)
  resumer = createResumer({
    calls: {
      listParts: async () => {
        asked += 1
        return onList()
      },
    },
    data,
    sample: async () => null,
    connection: { isOnline: () => true, untilOnline: async () => undefined },
    timers: browserTimers,
    wait,
    random: () => 0,
    isServerReady: () => Promise.reject(new Error('nobody waits for the server here')),
    record: (id) => records.get(id),
    paused: ids,
    dispatch: (id, event) => {
      if (event.type === 'resume') found.push(`${id} ${event.data}`)
    },
  })
})
afterEach(() => {
  resumer.close()
  vi.useRealTimers()
})

describe('an upload that is resumed', () => {
  test('needs nothing where its file is in memory, and the server is not asked', async () => {
    put(paused())
    data.keepInMemory('1', { file })
    await resumer.resume('1')
    expect(found).toEqual(['1 ready'])
    expect(asked).toBe(0)
  })

  test.each([
    ['storage holds all its bytes', listed(30), '1 stored'],
    ['storage holds some of its bytes', listed(20), '1 file'],
    ['the server knows it no more: it may be a file by now', refused(404), '1 stored'],
    ['the server refuses to say', refused(401), '1 file'],
  ])('without its file, where %s', async (_, answer, expected) => {
    put(paused())
    onList = () => answer
    await resumer.resume('1')
    expect(found).toEqual([expected])
  })

  test('is stored only when all its parts are there, whatever their bytes add up to', async () => {
    const parts = { size: 10, count: 3 }
    put(paused({ ticket: { ...uploadTicket(), parts } }))
    onList = () => listed(20, 10)
    await resumer.resume('1')
    onList = () => listed(10, 10, 10)
    await resumer.resume('1')
    expect(found).toEqual(['1 file', '1 stored'])
  })

  test('that never got a ticket asks for its file without asking the server', async () => {
    put(paused({ ticket: null }))
    await resumer.resume('1')
    expect(found).toEqual(['1 file'])
    expect(asked).toBe(0)
  })

  test('asks for its file after three calls without an answer', async () => {
    put(paused())
    onList = () => {
      expect(found).toEqual([])
      return refused(503)
    }
    void resumer.resume('1')
    await pass(3 * longestWaitMs)
    expect(asked).toBe(3)
    expect(found).toEqual(['1 file'])
  })

  test('is not lost where nobody answers and nobody could help', async () => {
    put(paused({ pasted: true }))
    onList = () => refused(null)
    void resumer.resume('1')
    await pass(3 * longestWaitMs)
    expect(found).toEqual([])
  })

  test('takes the file that was given while storage was asked', async () => {
    put(paused())
    onList = async () => {
      data.keepInMemory('1', { file })
      return listed(20)
    }
    await resumer.resume('1')
    expect(found).toEqual(['1 ready'])
  })

  test('is left alone once it is stopped, and while it is under way or over', async () => {
    put(paused())
    onList = () => new Promise(() => undefined)
    void resumer.resume('1')
    await pass(0)
    resumer.stopLooking('1')
    await pass(60_000)
    put(paused({ id: '2', status: 'uploading' }))
    put(paused({ id: '3', status: 'completed' }))
    for (const id of ['2', '3', 'unknown']) await resumer.resume(id)
    expect(found).toEqual([])
  })

  test('is looked for once, however often that is asked', async () => {
    const record = put(paused())
    await Promise.all([resumer.resume('1'), resumer.resume('1'), resumer.askForFile(record)])
    expect(asked).toBe(1)
  })
})

describe('what it takes is asked for at once', () => {
  test('where a person can help', async () => {
    await resumer.askForFile(put(paused()))
    expect(found).toEqual(['1 file'])
  })

  test('but nothing is resumed, nor failed, where nobody is needed or can help', async () => {
    const stored = put(paused())
    onList = () => listed(30)
    await resumer.askForFile(stored)
    onList = () => listed()
    await resumer.askForFile(put(paused({ id: '2', pasted: true })))
    expect(found).toEqual([])
  })
})

describe('a file that is given', () => {
  test('goes to the first paused upload that began with it, and to no other', async () => {
    put(paused({ id: '1', identity: { ...identity, lastModified: 5 } }))
    put(paused({ id: '2' }))
    put(paused({ id: '3' }))
    expect(await resumer.provideToAny(['1', '2', '3'], { file })).toBe(true)
    expect(found).toEqual(['2 ready'])
    expect(data.file('2')).toBe(file)
    // The next upload that waits for the same file gets it too.
    expect(await resumer.provideToAny(['1', '2', '3'], { file })).toBe(true)
    expect(found).toEqual(['2 ready', '3 ready'])
    expect(await resumer.provideToAny(['1', '2', '3'], { file })).toBe(false)
  })

  test('is refused by name where it is another, and where it cannot be read', async () => {
    const record = put(paused())
    expect(await resumer.refuseFile(record, file)).toBeNull()
    expect(await resumer.refuseFile(record, fileNamed('b.txt', 30))).toContain('b.txt is not a.txt')
  })

  test('is of no use to an upload that runs', () => {
    put(paused({ status: 'uploading' }))
    expect(resumer.provide('1', { file })).toBe(false)
    expect(data.file('1')).toBeUndefined()
  })
})

describe('by itself', () => {
  test('a paused upload resumes once it was idle for 5 s; no timer runs when none is left', async () => {
    put(paused())
    data.keepInMemory('1', { file })
    resumer.watchPaused()
    await pass(5000)
    expect(found).toEqual([])
    await pass(1000)
    expect(found).toEqual(['1 ready'])
    ids.delete('1')
    await pass(1000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('one that waits for a person does not', async () => {
    put(paused({ need: 'file' }))
    data.keepInMemory('1', { file })
    resumer.watchPaused()
    await pass(60_000)
    expect(found).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
