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

describe('an expired session', () => {
  test('blocks unloading only for files without a handle, and lets the device sleep', async () => {
    world.onStart = () => failedOutcome(401)
    const file = fakeFile('a.txt')
    world.add([{ file, handle: handleFor(file) }])
    await advanceTime(1000)
    expect(world.pageBlocks).toBe(0)
    const [id = ''] = world.add([fakeFile('b.txt')])
    await advanceTime(1000)
    expect(world.statuses()).toEqual(['a.txt paused', 'b.txt paused'])
    expect([world.pageBlocks, world.wakeLocks]).toEqual([1, 0])
    await world.engine.cancel(id)
    await advanceTime(100)
    expect(world.pageBlocks).toBe(0)
  })

  test('pauses running and waiting uploads with one notice, and resumes them after the sign-in', async () => {
    world.onStart = () => failedOutcome(401)
    world.add([fakeFile('a.txt'), fakeFile('b.txt')])
    await advanceTime(1000)
    expect(world.requests).toHaveLength(1)
    expect(world.state().records.map(({ need }) => need)).toEqual(['sign-in', 'sign-in'])
    expect(world.toasts).toEqual([
      {
        title: 'Upload paused',
        description: 'You were signed out. Sign in to resume the upload.',
      },
    ])
    await advanceTime(60_000)
    expect(world.requests).toHaveLength(1)

    world.onStart = () => null
    world.user = null
    await world.engine.resumeAfterSignIn()
    await advanceTime(0)
    expect(world.statuses()).toEqual(['a.txt paused', 'b.txt paused'])
    world.user = 'ada'
    await world.engine.resumeAfterSignIn()
    await advanceTime(1000)
    expect(world.statuses()).toEqual(['a.txt completed', 'b.txt completed'])
  })

  test('lets each running upload continue until its own call gets a 401', async () => {
    const releaseTransfers = world.stallTransfers()
    world.add(Array.from({ length: 11 }, (_, index) => fakeFile(`${index}.txt`)))
    await advanceTime(0)
    world.onStart = () => failedOutcome(401)
    world.onConfirm = (attempt) => (attempt > 1 ? failedOutcome(401) : null)
    releaseTransfers()
    await advanceTime(0)
    expect(world.state().records.filter(({ status }) => status === 'completed')).toHaveLength(1)
    expect(world.state().records.filter(({ need }) => need === 'sign-in')).toHaveLength(10)
    // Every upload gets a 401, but the user sees only one notice.
    expect(world.toasts.filter(({ title }) => title === 'Upload paused')).toHaveLength(1)
  })
})
