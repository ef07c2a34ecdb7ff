import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type EngineWorld,
  openEngineWorld,
  pass,
  refused,
} from '../../../../tests/support/engine-world.ts'
import { fileNamed } from '../../../../tests/support/upload-facts.ts'

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
    expect(world.saved()).toEqual([])
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt', 'abort key of a.txt'])
    expect(world.toasts).toEqual([])
    expect(world.holds).toBe(0)
  })

  test('before the server gave it a slot frees that as soon as it is given', async () => {
    const answer = Promise.withResolvers<null>()
    world.onStart = () => answer.promise
    const [id = ''] = world.add([fileNamed('a.txt')])
    await pass(0)
    await world.engine.cancel(id)
    answer.resolve(null)
    await pass(0)
    expect(world.log).toEqual(['start a.txt', 'abort key of a.txt'])
  })

  test('before the server answered keeps the next from asking: the slot may be its own', async () => {
    const answer = Promise.withResolvers<null>()
    world.onStart = (name) => (name === 'a.txt' ? answer.promise : null)
    const [first = ''] = world.add([fileNamed('a.txt'), fileNamed('b.txt')])
    await pass(0)
    await world.engine.cancel(first)
    await pass(10_000)
    expect(world.log).toEqual(['start a.txt'])
    answer.resolve(null)
    await pass(500)
    expect(world.log.slice(1, 3)).toEqual(['abort key of a.txt', 'start b.txt'])
  })

  test('while it is being confirmed is too late: the list shows the file', async () => {
    const [id = ''] = world.add([fileNamed('a.txt')])
    world.onConfirm = () => {
      void world.engine.cancel(id)
      return null
    }
    await pass(0)
    expect(world.listed).toBe(1)
    await pass(2000)
    expect(world.state().records).toEqual([])
  })

  test('is for good: after a reload it is not shown again', async () => {
    const [id = ''] = await world.addStuck([fileNamed('a.txt')])
    await world.engine.cancel(id)
    world.reload()
    await pass(200)
    expect(world.state().records).toEqual([])
    expect(world.saved()).toEqual([])
  })

  test('that is one of several gives the next its turn', async () => {
    const [first = ''] = await world.addStuck([fileNamed('a.txt'), fileNamed('b.txt')])
    world.onSend = () => undefined
    await world.engine.cancel(first)
    await pass(500)
    expect(world.shown()).toEqual(['a.txt failed', 'b.txt completed'])
    expect(world.state().outcome).toBe('Upload completed successfully!')
  })
})

test('a slot is freed as soon as the server answers', async () => {
  const [id = ''] = await world.addStuck([fileNamed('a.txt')])
  world.onAbort = () => refused(null)
  await world.engine.cancel(id)
  await pass(60_000)
  expect(world.log.filter((line) => line === 'abort key of a.txt').length).toBeGreaterThan(2)
  world.onAbort = () => ({ ok: true, value: null })
  await pass(60_000)
  world.log.length = 0
  await pass(600_000)
  expect(world.log).toEqual([])
})
