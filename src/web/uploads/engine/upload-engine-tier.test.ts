import { afterEach, beforeEach, expect, test } from 'vitest'
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

function starts() {
  return world.log.filter((line) => line.startsWith('start'))
}

/** Adds one invalid file, and three for which the tier has no slots. */
async function addRefused() {
  world.onStart = (name) =>
    name === 'bad.txt'
      ? refused(400, 'INVALID_INPUT', 'Not this one.')
      : refused(403, 'TIER_FILE_COUNT', tierIsFull)
  world.add([fileNamed('bad.txt')])
  await pass(1000)
  world.add([fileNamed('a.txt'), fileNamed('b.txt')])
  world.add([fileNamed('c.txt')])
  await pass(1000)
  const names = ['bad.txt', 'a.txt', 'b.txt', 'c.txt']
  expect(world.shown()).toEqual(names.map((name) => `${name} failed`))
  expect(starts()).toEqual(['start bad.txt', 'start a.txt'])
  world.log.length = 0
}

test("an upgrade retries only the uploads that the old tier's limit blocked, in order", async () => {
  await addRefused()
  world.onStart = () => null
  await world.engine.handleTierChange('free', 'premium')
  expect(world.state().inlineError).toBeNull()
  await pass(5000)
  expect(starts()).toEqual(['start a.txt', 'start b.txt', 'start c.txt'])
  expect(world.shown()).toEqual([
    'bad.txt failed',
    'a.txt completed',
    'b.txt completed',
    'c.txt completed',
  ])
})

test("a downgrade starts nothing and doesn't affect running uploads", async () => {
  await addRefused()
  world.onStart = () => null
  await world.addStuck([fileNamed('running.txt'), fileNamed('waiting.txt')])
  const before = world.shown()
  world.log.length = 0
  await world.engine.handleTierChange('premium', 'free')
  await pass(5000)
  expect(world.shown()).toEqual(before)
  expect(world.log).toEqual([])
})
