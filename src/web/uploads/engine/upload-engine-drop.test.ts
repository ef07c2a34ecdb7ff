import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile, tierFullMessage } from '../../../../tests/support/upload-fixtures.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('a drop', () => {
  test('uploads one file after another, with a pause of 500 ms between them', async () => {
    world.add([fakeFile('a.txt'), fakeFile('b.txt')])
    await advanceTime(499)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt', 'confirm key of a.txt'])
    expect(world.statuses()).toEqual(['a.txt completed', 'b.txt pending'])
    await advanceTime(1)
    expect(world.statuses()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('sends the sanitized name at the start and the SHA-256 with the confirm call', async () => {
    world.add([fakeFile('a\u202e:b?.txt', 4, 'text/plain;charset=utf-8')])
    await advanceTime(0)
    expect(world.requests).toEqual([
      {
        fileName: 'ab.txt',
        fileSize: 4,
        fileType: '',
        expirationDays: '3',
        ownerId: 'ada',
        idempotencyKey: '000001',
      },
    ])
    expect(world.confirmations).toMatchObject([
      { cloudKey: 'key of ab.txt', uploadStartTime: Date.now(), sha256: 'a'.repeat(64), crc32: 7 },
    ])
  })

  test("shows 'Upload completed successfully!' for 2 s, and 'Upload Complete' in a toast", async () => {
    world.add([fakeFile('a.txt')])
    await advanceTime(0)
    expect(world.toasts).toEqual([
      { title: 'Upload Complete', description: 'a.txt uploaded successfully' },
    ])
    expect(world.state().outcome).toBe('Upload completed successfully!')
    await advanceTime(1999)
    expect(world.state().outcome).toBe('Upload completed successfully!')
    await advanceTime(1)
    expect(world.state().outcome).toBeNull()
  })

  test('added while an outcome is shown gets its own outcome for the full 2 s', async () => {
    world.add([fakeFile('a.txt')])
    await advanceTime(1500)
    world.add([fakeFile('b.txt')])
    await advanceTime(600)
    expect(world.state().outcome).toBe('Upload completed successfully!')
  })

  test('on a phone takes the background path and uses its notices', async () => {
    world.add([fakeFile('a.txt')], 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)')
    await advanceTime(0)
    expect(world.state().records[0]?.path).toBe('background')
    expect(world.toasts).toEqual([{ title: 'a.txt uploaded successfully!' }])
    expect(world.state().outcome).toBeNull()
  })

  test('uploads an empty file', async () => {
    world.add([fakeFile('empty', 0)])
    await advanceTime(0)
    expect(world.state().records).toMatchObject([{ status: 'completed', progress: 100 }])
  })

  test('blocks unloading only while uploading, and a closed engine leaves no timer running', async () => {
    let blockCountWhileSending = 0
    world.onSend = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      blockCountWhileSending = world.pageBlocks
    }
    world.add([fakeFile('a.txt')])
    await advanceTime(10_000)
    expect(blockCountWhileSending).toBe(1)
    expect([world.pageBlocks, world.wakeLocks]).toEqual([0, 0])
    world.engine.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('updates the progress at most every 500 ms, and always at the last byte', async () => {
    const shownBytes = new Set<number>()
    world.onSend = async ({ onProgress }) => {
      for (let byteCount = 0; byteCount < 1000; byteCount += 10) {
        onProgress(byteCount)
        shownBytes.add(world.state().records[0]?.uploadedBytes ?? -1)
        vi.advanceTimersByTime(10)
      }
    }
    world.add([fakeFile('a.txt', 1000)])
    await advanceTime(0)
    expect([...shownBytes]).toEqual([0, 500])
    expect(world.state().records[0]?.uploadedBytes).toBe(1000)
  })

  test('reports the speed and a lost connection', async () => {
    const activities: unknown[] = []
    world.onSend = async ({ onProgress, onInterrupted }) => {
      onProgress(0)
      vi.advanceTimersByTime(4000)
      onProgress(4000)
      activities.push(Object.values(world.state().activity)[0])
      onInterrupted('no-response')
      activities.push(Object.values(world.state().activity)[0])
    }
    world.add([fakeFile('a.txt', 10_000)])
    await advanceTime(0)
    expect(activities).toEqual([
      { interruption: null, bytesPerSecond: 1000 },
      { interruption: 'no-response', bytesPerSecond: null },
    ])
    expect(world.state().activity).toEqual({})
  })
})

describe('a drop of a thousand files', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${index}.raw`)

  test('sends five files at a time and shows one notice', async () => {
    let now = 0
    let maxRunning = 0
    world.onSend = async () => {
      now += 1
      maxRunning = Math.max(maxRunning, now)
      await new Promise((resolve) => setTimeout(resolve, 20))
      now -= 1
    }
    world.add(names.map((name) => fakeFile(name)))
    await advanceTime(1000 * 20)
    expect(maxRunning).toBe(5)
    expect(world.state().records.every(({ status }) => status === 'completed')).toBe(true)
    expect(world.toasts).toEqual([
      { title: 'Upload Complete', description: '1,000 files uploaded successfully' },
    ])
    // UI updates are throttled, and the file list reloads at most once a second. Neither happens
    // once per file.
    expect(world.changes).toBeLessThan(100)
    expect(world.listRefetches).toBeLessThan(7)
  })

  test('skips an upload that is cancelled before it is started', async () => {
    const transferGate = Promise.withResolvers<void>()
    world.onSend = () => transferGate.promise
    const ids = world.add(names.slice(0, 12).map((name) => fakeFile(name)))
    await advanceTime(100)
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(5)
    expect(Object.keys(world.state().activity)).toEqual(ids.slice(0, 5))
    await world.engine.cancel(ids[7] ?? '')
    transferGate.resolve()
    await advanceTime(10_000)
    expect(world.log).not.toContain('start 7.raw')
    expect(world.statuses().filter((line) => line.endsWith(' completed'))).toHaveLength(11)
  })

  test('fails as a whole with one inline error if the tier is full', async () => {
    world.onStart = () => failedOutcome(403, 'TIER_FILE_COUNT', tierFullMessage)
    world.add(names.map((name) => fakeFile(name)))
    await advanceTime(0)
    // The first five uploads are started at once, so the server rejects each of them.
    expect(world.requests).toHaveLength(5)
    expect(world.state().inlineError).toBe(tierFullMessage)
    expect(world.state().records.every(({ status }) => status === 'failed')).toBe(true)
    expect(world.toasts).toHaveLength(1)
  })
})
