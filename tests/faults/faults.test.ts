import { expect, it } from 'vitest'
import { numbersFrom } from '../support/seeded-rounds.ts'
import { drawFaults, faults } from './faults.ts'
import { setups } from './setups.ts'

const contexts = Object.values(setups).flatMap((setup) => [
  { ...setup, ownsPostgres: true },
  { ...setup, ownsPostgres: false },
])
const drawn = contexts.flatMap((context) =>
  Array.from({ length: 300 }, (_, seed) => ({
    context,
    names: drawFaults(context, numbersFrom(seed)),
  })),
)

it('draws a second fault with another target in some rounds', () => {
  const pairs = drawn.filter(({ names }) => names.length === 2)
  expect(pairs.length / drawn.length).toBeGreaterThan(0.1)
  expect(pairs.length / drawn.length).toBeLessThan(0.25)
  for (const { names } of pairs) {
    const disturbed = names.flatMap((name) => faults[name].affects)
    expect(new Set(disturbed).size, names.join()).toBe(disturbed.length)
    expect(names).not.toContain('no fault')
  }
})

it('draws only faults that are possible', () => {
  for (const { context, names } of drawn) {
    for (const name of names) expect(faults[name].isPossible?.(context) ?? true, name).toBe(true)
  }
})
