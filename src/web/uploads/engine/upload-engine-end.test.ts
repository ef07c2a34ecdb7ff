import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  advanceTime,
  type EngineWorld,
  failedOutcome,
  openEngineWorld,
} from '../../../../tests/support/engine-world.ts'
import { fakeFile, handleFor } from '../../../../tests/support/upload-fixtures.ts'

let world: EngineWorld
beforeEach(() => {
  world = openEngineWorld()
})
afterEach(() => world.close())

describe('closing the engine', () => {
  test('pauses running and waiting uploads and stops all activity', async () => {
    await world.addStalled([fakeFile('a.txt'), fakeFile('b.txt')])
    world.engine.close()
    expect(world.savedRecords().map(({ status }) => status)).toEqual(['paused', 'paused'])
    expect(world.pageBlocks).toBe(0)
    await advanceTime(60_000)
    expect(world.log).toEqual(['start a.txt', 'send key of a.txt'])
  })
})

describe('the record of an ended upload', () => {
  test('is removed within minutes after 24 h, along with its handle', async () => {
    world.onStart = (name) => (name === 'b.txt' ? failedOutcome(400) : null)
    const failingFile = fakeFile('b.txt')
    world.add([fakeFile('a.txt'), { file: failingFile, handle: handleFor(failingFile) }])
    await advanceTime(1000)
    await advanceTime(24 * 3_600_000 - 60_000)
    expect(world.state().records).toHaveLength(2)
    expect(world.handles.size).toBe(1)
    await advanceTime(180_000)
    expect(world.state().records).toEqual([])
    expect(world.savedRecords()).toEqual([])
    expect(world.handles.size).toBe(0)
  })
})
