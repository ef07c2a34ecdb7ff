import { afterEach, beforeEach, expect, test } from 'vitest'
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

function countStarts() {
  return world.log.filter((line) => line.startsWith('start'))
}

/** Adds one invalid file, and three files that exceed the tier's maximum number of files. */
async function addRejectedFiles() {
  world.onStart = (name) =>
    name === 'bad.txt'
      ? failedOutcome(400, 'INVALID_INPUT', 'Not this one.')
      : failedOutcome(403, 'TIER_FILE_COUNT', tierFullMessage)
  world.add([fakeFile('bad.txt')])
  await advanceTime(1000)
  world.add([fakeFile('a.txt'), fakeFile('b.txt')])
  world.add([fakeFile('c.txt')])
  await advanceTime(1000)
  const names = ['bad.txt', 'a.txt', 'b.txt', 'c.txt']
  expect(world.statuses()).toEqual(names.map((name) => `${name} failed`))
  expect(countStarts()).toEqual(['start bad.txt', 'start a.txt'])
  world.log.length = 0
}

test("an upgrade retries only the uploads that the old tier's limit blocked, in order", async () => {
  await addRejectedFiles()
  world.onStart = () => null
  await world.engine.handleTierChange('free', 'premium')
  expect(world.state().inlineError).toBeNull()
  await advanceTime(5000)
  expect(countStarts()).toEqual(['start a.txt', 'start b.txt', 'start c.txt'])
  expect(world.statuses()).toEqual([
    'bad.txt failed',
    'a.txt completed',
    'b.txt completed',
    'c.txt completed',
  ])
})

test("a downgrade starts nothing and doesn't affect running uploads", async () => {
  await addRejectedFiles()
  world.onStart = () => null
  await world.addStalled([fakeFile('running.txt'), fakeFile('waiting.txt')])
  const statusesBefore = world.statuses()
  world.log.length = 0
  await world.engine.handleTierChange('premium', 'free')
  await advanceTime(5000)
  expect(world.statuses()).toEqual(statusesBefore)
  expect(world.log).toEqual([])
})
