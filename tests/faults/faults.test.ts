import { expect, it } from 'vitest'
import { numbersFrom } from '../support/seeded-rounds.ts'
import { drawFaults, faults } from './faults.ts'
import { setups } from './setups.ts'

const scenes = Object.values(setups).flatMap((setup) => [
  { ...setup, ownsPostgres: true },
  { ...setup, ownsPostgres: false },
])
const drawn = scenes.flatMap((scene) =>
  Array.from({ length: 300 }, (_, seed) => ({
    scene,
    names: drawFaults(scene, numbersFrom(seed)),
  })),
)

it('draws a second fault in some rounds, which disturbs something else', () => {
  const pairs = drawn.filter(({ names }) => names.length === 2)
  expect(pairs.length / drawn.length).toBeGreaterThan(0.1)
  expect(pairs.length / drawn.length).toBeLessThan(0.25)
  for (const { names } of pairs) {
    const disturbed = names.flatMap((name) => faults[name].disturbs)
    expect(new Set(disturbed).size, names.join()).toBe(disturbed.length)
    expect(names).not.toContain('no fault')
  }
})

it('draws no fault that cannot happen there', () => {
  for (const { scene, names } of drawn) {
    for (const name of names) expect(faults[name].isIn?.(scene) ?? true, name).toBe(true)
  }
})
