import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type EngineWorld,
  openEngineWorld,
  pass,
  refused,
} from '../../../../tests/support/engine-world.ts'
import { fileNamed, tierIsFull } from '../../../../tests/support/upload-facts.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('a drop', () => {
  test('uploads one file after another, with a pause of 500 ms between them', async () => {
    world.add([fileNamed('a.txt'), fileNamed('b.txt')])
    await pass(499)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt', 'confirm key of a.txt'])
    expect(world.shown()).toEqual(['a.txt completed', 'b.txt pending'])
    await pass(1)
    expect(world.shown()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('announces the cleaned name, and claims the SHA-256 when it confirms', async () => {
    world.add([fileNamed('a\u202e:b?.txt', 4, 'text/plain;charset=utf-8')])
    await pass(0)
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
      { cloudKey: 'key of ab.txt', uploadStartTime: Date.now(), sha256: 'a'.repeat(64) },
    ])
  })

  test("says 'Upload completed successfully!' for 2 s, and 'Upload Complete' in a toast", async () => {
    world.add([fileNamed('a.txt')])
    await pass(0)
    expect(world.toasts).toEqual([
      { title: 'Upload Complete', description: 'a.txt uploaded successfully' },
    ])
    expect(world.state().outcome).toBe('Upload completed successfully!')
    await pass(1999)
    expect(world.state().outcome).toBe('Upload completed successfully!')
    await pass(1)
    expect(world.state().outcome).toBeNull()
  })

  test('that comes within these 2 s has an outcome of its own, which the old one does not reset', async () => {
    world.add([fileNamed('a.txt')])
    await pass(1500)
    world.add([fileNamed('b.txt')])
    await pass(600)
    expect(world.state().outcome).toBe('Upload completed successfully!')
  })

  test('on a phone takes the background path, and tells of it in the words of that', async () => {
    world.add([fileNamed('a.txt')], 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)')
    await pass(0)
    expect(world.state().records[0]?.path).toBe('background')
    expect(world.toasts).toEqual([{ title: 'a.txt uploaded successfully!' }])
    expect(world.state().outcome).toBeNull()
  })

  test('takes an empty file for a file', async () => {
    world.add([fileNamed('empty', 0)])
    await pass(0)
    expect(world.state().records).toMatchObject([{ status: 'completed', progress: 100 }])
  })

  test('asks before the page goes exactly while it runs, and leaves no timer but that of the cleanup', async () => {
    let during = 0
    world.onSend = async () => {
      await new Promise((done) => setTimeout(done, 100))
      during = world.holds
    }
    world.add([fileNamed('a.txt')])
    await pass(10_000)
    expect(during).toBe(1)
    expect([world.holds, world.awake]).toEqual([0, 0])
    expect(vi.getTimerCount()).toBe(1)
    world.engine.clear()
    await pass(60_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('shows progress every 500 ms at most, and always the last byte', async () => {
    const seen = new Set<number>()
    world.onSend = async ({ onProgress }) => {
      for (let sent = 0; sent < 1000; sent += 10) {
        onProgress(sent)
        seen.add(world.state().records[0]?.uploadedBytes ?? -1)
        vi.advanceTimersByTime(10)
      }
    }
    world.add([fileNamed('a.txt', 1000)])
    await pass(0)
    expect([...seen]).toEqual([0, 500])
    expect(world.state().records[0]?.uploadedBytes).toBe(1000)
  })

  test('tells how fast it is, and that the connection was lost', async () => {
    const lives: unknown[] = []
    world.onSend = async ({ onProgress, onInterrupted }) => {
      onProgress(0)
      vi.advanceTimersByTime(4000)
      onProgress(4000)
      lives.push(Object.values(world.state().live)[0])
      onInterrupted('no-answer')
      lives.push(Object.values(world.state().live)[0])
    }
    world.add([fileNamed('a.txt', 10_000)])
    await pass(0)
    expect(lives).toEqual([
      { interrupted: null, bytesPerSecond: 1000 },
      { interrupted: 'no-answer', bytesPerSecond: null },
    ])
    expect(world.state().live).toEqual({})
  })
})

describe('a drop of a thousand files', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${index}.raw`)

  test('sends five at a time, and tells of them once', async () => {
    let now = 0
    let most = 0
    world.onSend = async () => {
      now += 1
      most = Math.max(most, now)
      await new Promise((done) => setTimeout(done, 20))
      now -= 1
    }
    world.add(names.map((name) => fileNamed(name)))
    await pass(1000 * 20)
    expect(most).toBe(5)
    // Each was started and confirmed by a call that may travel with others.
    expect(world.gathered).toBe(2000)
    expect(world.state().records.every(({ status }) => status === 'completed')).toBe(true)
    expect(world.toasts).toEqual([
      { title: 'Upload Complete', description: '1,000 files uploaded successfully' },
    ])
    // Changes are shown together, and the list is read once a second. So both happen far less often
    // than once for each file.
    expect(world.changes).toBeLessThan(100)
    expect(world.listed).toBeLessThan(7)
  })

  test('gathers no call of a few files, nor of a large file among many', async () => {
    world.add(names.slice(0, 10).map((name) => fileNamed(name)))
    await pass(10_000)
    expect(world.gathered).toBe(0)
    const large = fileNamed('film.mkv', 9 * 1024 ** 2)
    world.add([large, ...names.slice(20, 40).map((name) => fileNamed(name))])
    await pass(10_000)
    expect(world.state().records.every(({ status }) => status === 'completed')).toBe(true)
    expect(world.gathered).toBe(40)
  })

  test('leaves out what is cancelled while it waits to be sent, and frees its slot', async () => {
    const sent = Promise.withResolvers<void>()
    world.onSend = () => sent.promise
    const ids = world.add(names.slice(0, 12).map((name) => fileNamed(name)))
    await pass(100)
    expect(world.log.filter((line) => line.startsWith('send'))).toHaveLength(5)
    // The page can tell these five from those that wait.
    expect(Object.keys(world.state().live)).toEqual(ids.slice(0, 5))
    await world.engine.cancel(ids[7] ?? '')
    await pass(100)
    expect(world.log).toContain('abort key of 7.raw')
    sent.resolve()
    await pass(10_000)
    expect(world.log).not.toContain('send key of 7.raw')
    expect(world.shown().filter((line) => line.endsWith(' completed'))).toHaveLength(11)
  })

  test('ends as a whole with one inline error where the tier is full', async () => {
    world.onStart = () => refused(403, 'TIER_FILE_COUNT', tierIsFull)
    world.add(names.map((name) => fileNamed(name)))
    await pass(0)
    // These travel in one call, whose entries the server takes in their order.
    expect(world.requests).toHaveLength(48)
    expect(world.state().inlineError).toBe(tierIsFull)
    expect(world.state().records.every(({ status }) => status === 'failed')).toBe(true)
    expect(world.toasts).toHaveLength(1)
  })
})
