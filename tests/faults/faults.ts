import type { RandomInt } from '../support/seeded-rounds.ts'
import { databaseFaults } from './database-faults.ts'
import { externalFaults } from './external-faults.ts'
import type { Fault, FaultContext } from './fault.ts'
import { serverFaults } from './server-faults.ts'

const allFaults = { ...serverFaults, ...databaseFaults, ...externalFaults }

export type FaultName = keyof typeof allFaults

/** Every fault, by the name that reports and error messages show. */
export const faults: Record<FaultName, Fault> = allFaults

const faultNames = Object.keys(allFaults) as FaultName[]
/** Of the rounds with a fault, one in this many has a second fault. */
const roundsPerSecondFault = 5

/**
 * Draws the faults for one round by weight: a first one, which may be 'no fault', and sometimes a
 * second one that affects different targets.
 */
export function drawFaults(context: FaultContext, random: RandomInt): FaultName[] {
  const possibleFaults = faultNames.filter((name) => faults[name].isPossible?.(context) ?? true)
  const firstFault = drawWeighted(possibleFaults, random)
  if (firstFault === 'no fault' || random(roundsPerSecondFault) > 0) return [firstFault]
  const { affects } = faults[firstFault]
  const compatibleFaults = possibleFaults.filter(
    (name) =>
      name !== 'no fault' && !faults[name].affects.some((target) => affects.includes(target)),
  )
  return [firstFault, drawWeighted(compatibleFaults, random)]
}

function drawWeighted(possibleFaults: readonly FaultName[], random: RandomInt): FaultName {
  const weightedNames = possibleFaults.flatMap((name) =>
    Array<FaultName>(faults[name].weight).fill(name),
  )
  return weightedNames[random(weightedNames.length)] ?? 'no fault'
}
