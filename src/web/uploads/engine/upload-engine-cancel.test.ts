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
  test("in a foreground drop ends the whole drop with 'Cancelled by user' and frees the slot", async () => {
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

  test('before the server responds frees the slot as soon as it is assigned', async () => {
    const response = Promise.withResolvers<null>()
    world.onStart = () => response.promise
    const [id = ''] = world.add([fileNamed('a.txt')])
    await pass(0)
    await world.engine.cancel(id)
    response.resolve(null)
    await pass(0)
    expect(world.log).toEqual(['start a.txt', 'abort key of a.txt'])
  })

  test('before the server responds delays the next start, because the slot may still be taken', async () => {
    const response = Promise.withResolvers<null>()
    world.onStart = (name) => (name === 'a.txt' ? response.promise : null)
    const [first = ''] = world.add([fileNamed('a.txt'), fileNamed('b.txt')])
    await pass(0)
    await world.engine.cancel(first)
    await pass(10_000)
    expect(world.log).toEqual(['start a.txt'])
    response.resolve(null)
    await pass(500)
    expect(world.log.slice(1, 3)).toEqual(['abort key of a.txt', 'start b.txt'])
  })

  test('during the confirm call is too late: the file appears in the list', async () => {
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

  test("is permanent: the upload doesn't reappear after a reload", async () => {
    const [id = ''] = await world.addStuck([fileNamed('a.txt')])
    await world.engine.cancel(id)
    world.reload()
    await pass(200)
    expect(world.state().records).toEqual([])
    expect(world.saved()).toEqual([])
  })

  test('lets the next upload of the drop start', async () => {
    const [first = ''] = await world.addStuck([fileNamed('a.txt'), fileNamed('b.txt')])
    world.onSend = () => undefined
    await world.engine.cancel(first)
    await pass(500)
    expect(world.shown()).toEqual(['a.txt failed', 'b.txt completed'])
    expect(world.state().outcome).toBe('Upload completed successfully!')
  })
})

test('freeing a slot is retried until the server responds', async () => {
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
