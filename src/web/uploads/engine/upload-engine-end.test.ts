import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type EngineWorld,
  openEngineWorld,
  pass,
  refused,
} from '../../../../tests/support/engine-world.ts'
import { fileNamed, handleTo } from '../../../../tests/support/upload-facts.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('closing the engine', () => {
  test('pauses running and waiting uploads and stops all activity', async () => {
    await world.addStuck([fileNamed('a.txt'), fileNamed('b.txt')])
    world.engine.close()
    expect(world.saved().map(({ status }) => status)).toEqual(['paused', 'paused'])
    expect(world.holds).toBe(0)
    await pass(60_000)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
  })
})

describe('the record of an ended upload', () => {
  test('is removed some minutes after 24 h, with its handle', async () => {
    world.onStart = (name) => (name === 'b.txt' ? refused(400) : null)
    const failing = fileNamed('b.txt')
    world.add([fileNamed('a.txt'), { file: failing, handle: handleTo(failing) }])
    await pass(1000)
    await pass(24 * 3_600_000 - 60_000)
    expect(world.state().records).toHaveLength(2)
    expect(world.handles.size).toBe(1)
    await pass(180_000)
    expect(world.state().records).toEqual([])
    expect(world.saved()).toEqual([])
    expect(world.handles.size).toBe(0)
  })
})
