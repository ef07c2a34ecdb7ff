import { expect, it } from 'vitest'
import { numbersFrom } from '../support/seeded-rounds.ts'
import { drawFaults, faults } from './faults.ts'
import { setups } from './setups.ts'

const drawn = Object.values(setups).flatMap((setup) =>
  Array.from({ length: 500 }, (_, seed) => ({
    setup,
    names: drawFaults(setup, numbersFrom(seed)),
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

it('draws no fault that cannot happen in the setup', () => {
  for (const { setup, names } of drawn) {
    for (const name of names) expect(faults[name].isIn?.(setup) ?? true, name).toBe(true)
  }
})
