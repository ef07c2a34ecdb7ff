import type { Draw } from '../support/seeded-rounds.ts'
import { databaseFaults } from './database-faults.ts'
import { externalFaults } from './external-faults.ts'
import type { Fault, FaultContext } from './fault.ts'
import { serverFaults } from './server-faults.ts'

const all = { ...serverFaults, ...databaseFaults, ...externalFaults }

export type FaultName = keyof typeof all

/** Every fault by name, as shown in reports and error messages. */
export const faults: Record<FaultName, Fault> = all

const names = Object.keys(all) as FaultName[]
/** One in this many rounds with a fault has a second one. */
const roundsPerSecondFault = 5

/**
 * Draws the simultaneous faults of a round by weight: one, which may be 'no fault', and sometimes a
 * second with a different target.
 */
export function drawFaults(context: FaultContext, random: Draw): FaultName[] {
  const possible = names.filter((name) => faults[name].isPossible?.(context) ?? true)
  const first = drawWeighted(possible, random)
  if (first === 'no fault' || random(roundsPerSecondFault) > 0) return [first]
  const { affects } = faults[first]
  const compatible = possible.filter(
    (name) => name !== 'no fault' && !faults[name].affects.some((one) => affects.includes(one)),
  )
  return [first, drawWeighted(compatible, random)]
}

function drawWeighted(possible: readonly FaultName[], random: Draw): FaultName {
  const drawn = possible.flatMap((name) => Array<FaultName>(faults[name].weight).fill(name))
  return drawn[random(drawn.length)] ?? 'no fault'
}
