import { expect, it } from 'vitest'
import { seededRandom } from '../support/seeded-rounds.ts'
import { drawFaults, faults } from './faults.ts'
import { setups } from './setups.ts'

const contexts = Object.values(setups).flatMap((setup) => [
  { ...setup, hasOwnPostgres: true },
  { ...setup, hasOwnPostgres: false },
])
const draws = contexts.flatMap((context) =>
  Array.from({ length: 300 }, (_, seed) => ({
    context,
    names: drawFaults(context, seededRandom(seed)),
  })),
)

it('draws a second fault with another target in some rounds', () => {
  const twoFaultDraws = draws.filter(({ names }) => names.length === 2)
  expect(twoFaultDraws.length / draws.length).toBeGreaterThan(0.1)
  expect(twoFaultDraws.length / draws.length).toBeLessThan(0.25)
  for (const { names } of twoFaultDraws) {
    const affectedTargets = names.flatMap((name) => faults[name].affects)
    expect(new Set(affectedTargets).size, names.join()).toBe(affectedTargets.length)
    expect(names).not.toContain('no fault')
  }
})

it('draws only faults that are possible', () => {
  for (const { context, names } of draws) {
    for (const name of names) expect(faults[name].isPossible?.(context) ?? true, name).toBe(true)
  }
})
