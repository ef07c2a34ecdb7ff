import type { Draw } from '../support/seeded-rounds.ts'
import { databaseFaults } from './database-faults.ts'
import type { Fault, Scene } from './fault.ts'
import { outsideFaults } from './outside-faults.ts'
import { serverFaults } from './server-faults.ts'

const all = { ...serverFaults, ...databaseFaults, ...outsideFaults }

export type FaultName = keyof typeof all

/** Every fault by its name. The reports and error messages contain these names. */
export const faults: Record<FaultName, Fault> = all

const names = Object.keys(all) as FaultName[]
/** On average, one in so many rounds with a fault has a second one. */
const roundsPerSecondFault = 5

/**
 * Draws the faults of a round: one, which may be 'no fault', and sometimes a second one that
 * disturbs something else. Both happen at the same time. A fault with a higher weight is drawn more
 * often.
 */
export function drawFaults(scene: Scene, random: Draw): FaultName[] {
  const possible = names.filter((name) => faults[name].isIn?.(scene) ?? true)
  const first = drawOf(possible, random)
  if (first === 'no fault' || random(roundsPerSecondFault) > 0) return [first]
  const { disturbs } = faults[first]
  const compatible = possible.filter(
    (name) => name !== 'no fault' && !faults[name].disturbs.some((one) => disturbs.includes(one)),
  )
  return [first, drawOf(compatible, random)]
}

function drawOf(possible: readonly FaultName[], random: Draw): FaultName {
  const drawn = possible.flatMap((name) => Array<FaultName>(faults[name].weight).fill(name))
  return drawn[random(drawn.length)] ?? 'no fault'
}
