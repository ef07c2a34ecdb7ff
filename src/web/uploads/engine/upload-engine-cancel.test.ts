import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

describe('cancelling an upload', () => {
  test("of a foreground drop ends all of it as 'Cancelled by user', and frees the slot", async () => {
    await world.addStuck([fileNamed('a.txt'), fileNamed('b.txt')])
    world.engine.cancelForeground()
    await pass(1000)
    expect(world.state().outcome).toBe('Cancelled by user')
    expect(world.state().records.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'Cancelled by user'],
      ['failed', 'Cancelled by user'],
    ])
    await pass(1000)
    expect(world.state().records).toEqual([])
    expect(world.saved.size).toBe(0)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt', 'abort key of a.txt'])
    expect(world.toasts).toEqual([])
    expect(world.holds).toBe(0)
  })

  test('before the server gave it a slot frees that as soon as it is given', async () => {
    const [id = ''] = world.add([fileNamed('a.txt')])
    world.engine.cancel(id)
    await pass(0)
    expect(world.log).toEqual(['start a.txt', 'abort key of a.txt'])
  })

  test('before the server answered keeps the others from asking: its slot is theirs then', async () => {
    const open = new Set<string>()
    const answer = Promise.withResolvers<void>()
    world.onStart = async (name) => {
      if (open.size === 3) return refused(403, 'TIER_FILE_COUNT', tierIsFull)
      open.add(`key of ${name}`)
      if (name === '1.txt') await answer.promise
      return null
    }
    world.onAbort = (cloudKey) => {
      open.delete(cloudKey)
      return { ok: true, value: null }
    }
    const names = Array.from({ length: 12 }, (_, at) => `${at + 1}.txt`)
    const [first = ''] = world.add(names.map((name) => fileNamed(name)))
    await pass(0)
    world.engine.cancel(first)
    await pass(10_000)
    expect(world.log).toEqual(['start 1.txt'])
    answer.resolve()
    await pass(0)
    const completed = world.shown().filter((line) => line.endsWith(' completed'))
    expect(completed).toEqual(['2.txt completed', '3.txt completed', '4.txt completed'])
    expect([...open]).toEqual(['key of 2.txt', 'key of 3.txt', 'key of 4.txt'])
  })

  test('before a server that never answers keeps the others waiting for 30 s', async () => {
    world.onStart = (name) => (name === 'a.txt' ? new Promise<never>(() => undefined) : null)
    const [first = ''] = world.add([fileNamed('a.txt'), fileNamed('b.txt')])
    world.engine.cancel(first)
    await pass(30_499)
    expect(world.log).toEqual(['start a.txt'])
    await pass(1)
    expect(world.log).toContain('stored b.txt')
  })

  test('while it is being confirmed is too late: the list shows the file', async () => {
    const [id = ''] = world.add([fileNamed('a.txt')])
    world.onConfirm = () => {
      world.engine.cancel(id)
      return null
    }
    await pass(0)
    expect(world.log).toContain('stored a.txt')
    await pass(2000)
    expect(world.state().records).toEqual([])
  })

  test('is for good: after a reload it is not shown again', async () => {
    const [id = ''] = await world.addStuck([fileNamed('a.txt')])
    world.engine.cancel(id)
    world.reload()
    expect(world.state().records).toEqual([])
    expect(world.saved.size).toBe(0)
  })

  test('that is one of several gives the next its turn', async () => {
    const [first = ''] = await world.addStuck([fileNamed('a.txt'), fileNamed('b.txt')])
    world.onSend = () => undefined
    world.engine.cancel(first)
    await pass(500)
    expect(world.shown()).toEqual(['a.txt failed', 'b.txt completed'])
    expect(world.state().outcome).toBe('Upload completed successfully!')
  })
})

describe('a slot that the server did not free', () => {
  test('is given back until the server answers, after a reload too, and by nobody but its owner', async () => {
    const [id = ''] = await world.addStuck([fileNamed('a.txt')])
    world.onAbort = () => refused(null)
    world.engine.cancel(id)
    await pass(60_000)
    const tries = world.log.filter((line) => line === 'abort key of a.txt').length
    expect(tries).toBeGreaterThan(2)
    expect([...world.values]).toEqual([['mayfly.abort.key of a.txt', 'ada']])
    world.engine.close()
    world.log.length = 0
    // The server has removed the upload meanwhile. A 404 is an answer too, so the abort is not
    // repeated.
    world.onAbort = () => refused(404)
    await pass(120_000)
    world.openFor('bob')
    await pass(120_000)
    expect(world.log).toEqual([])
    world.openFor('ada')
    await pass(0)
    expect(world.log).toEqual(['abort key of a.txt'])
    expect(world.values.size).toBe(0)
    await pass(120_000)
    expect(world.log).toHaveLength(1)
  })

  test('is given back after the sign-in, where the session was over', async () => {
    const [id = ''] = await world.addStuck([fileNamed('a.txt')])
    world.onAbort = () => refused(401)
    world.engine.cancel(id)
    await pass(120_000)
    expect(world.log.filter((line) => line.startsWith('abort'))).toHaveLength(1)
    world.onAbort = () => ({ ok: true, value: null })
    await world.engine.resumeSignedIn()
    await pass(0)
    expect(world.log.filter((line) => line.startsWith('abort'))).toHaveLength(2)
    expect(world.values.size).toBe(0)
  })
})
