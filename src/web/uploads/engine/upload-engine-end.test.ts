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

describe('an engine that ends', () => {
  test('with its page pauses what runs and what waits, and stops everything', async () => {
    await world.addStuck([fileNamed('a.txt'), fileNamed('b.txt')])
    world.engine.close()
    expect(world.saved().map(({ status }) => status)).toEqual(['paused', 'paused'])
    expect(world.holds).toBe(0)
    await pass(60_000)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
  })
})

describe('a record of what has ended', () => {
  test('stays for 24 h and goes some minutes later, with its bytes and its handle', async () => {
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
