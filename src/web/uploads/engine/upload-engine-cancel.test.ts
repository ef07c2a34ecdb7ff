import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile } from '../../../../tests/support/upload-fixtures.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('cancelling an upload', () => {
  test("in a foreground drop ends the whole drop with 'Cancelled by user' and frees the slot", async () => {
    await world.addStalled([fakeFile('a.txt'), fakeFile('b.txt')])
    world.engine.cancelForeground()
    await advanceTime(1000)
    expect(world.state().outcome).toBe('Cancelled by user')
    expect(world.state().records.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'Cancelled by user'],
      ['failed', 'Cancelled by user'],
    ])
    await advanceTime(1000)
    expect(world.state().records).toEqual([])
    expect(world.savedRecords()).toEqual([])
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt', 'abort key of a.txt'])
    expect(world.toasts).toEqual([])
    expect(world.pageBlocks).toBe(0)
  })

  test('before the server responds frees the slot as soon as the server has assigned it', async () => {
    const response = Promise.withResolvers<null>()
    world.onStart = () => response.promise
    const [id = ''] = world.add([fakeFile('a.txt')])
    await advanceTime(0)
    await world.engine.cancel(id)
    response.resolve(null)
    await advanceTime(0)
    expect(world.log).toEqual(['start a.txt', 'abort key of a.txt'])
  })

  test('before the server responds delays the next start, because the slot may still be in use', async () => {
    const response = Promise.withResolvers<null>()
    world.onStart = (name) => (name === 'a.txt' ? response.promise : null)
    const [firstId = ''] = world.add([fakeFile('a.txt'), fakeFile('b.txt')])
    await advanceTime(0)
    await world.engine.cancel(firstId)
    await advanceTime(10_000)
    expect(world.log).toEqual(['start a.txt'])
    response.resolve(null)
    await advanceTime(500)
    expect(world.log.slice(1, 3)).toEqual(['abort key of a.txt', 'start b.txt'])
  })

  test('during the confirm call is too late: the file appears in the file list', async () => {
    const [id = ''] = world.add([fakeFile('a.txt')])
    world.onConfirm = () => {
      void world.engine.cancel(id)
      return null
    }
    await advanceTime(0)
    expect(world.listRefetches).toBe(1)
    await advanceTime(2000)
    expect(world.state().records).toEqual([])
  })

  test("is permanent: the upload doesn't reappear after a reload", async () => {
    const [id = ''] = await world.addStalled([fakeFile('a.txt')])
    await world.engine.cancel(id)
    world.reload()
    await advanceTime(200)
    expect(world.state().records).toEqual([])
    expect(world.savedRecords()).toEqual([])
  })

  test('lets the next upload of the drop start', async () => {
    const [firstId = ''] = await world.addStalled([fakeFile('a.txt'), fakeFile('b.txt')])
    world.onSend = () => undefined
    await world.engine.cancel(firstId)
    await advanceTime(500)
    expect(world.statuses()).toEqual(['a.txt failed', 'b.txt completed'])
    expect(world.state().outcome).toBe('Upload completed successfully!')
  })
})

test('freeing a slot is retried until the server responds', async () => {
  const [id = ''] = await world.addStalled([fakeFile('a.txt')])
  world.onAbort = () => failedOutcome(null)
  await world.engine.cancel(id)
  await advanceTime(60_000)
  expect(world.log.filter((line) => line === 'abort key of a.txt').length).toBeGreaterThan(2)
  world.onAbort = () => ({ ok: true, value: null })
  await advanceTime(60_000)
  world.log.length = 0
  await advanceTime(600_000)
  expect(world.log).toEqual([])
})
