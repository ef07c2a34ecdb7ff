import type { Draw } from '../support/seeded-rounds.ts'
import { databaseFaults } from './database-faults.ts'
import type { Fault } from './fault.ts'
import { outsideFaults } from './outside-faults.ts'
import { serverFaults } from './server-faults.ts'
import type { Setup } from './setups.ts'

const all = { ...serverFaults, ...databaseFaults, ...outsideFaults }

export type FaultName = keyof typeof all

/** Every fault by its name. The reports and error messages contain these names. */
export const faults: Record<FaultName, Fault> = all

const names = Object.keys(all) as FaultName[]

/** Draws a fault that can happen in a setup. One with a higher weight is drawn more often. */
export function drawFault(setup: Setup, random: Draw): FaultName {
  const possible = names.filter((name) => faults[name].isIn?.(setup) ?? true)
  const drawn = possible.flatMap((name) => Array<FaultName>(faults[name].weight).fill(name))
  return drawn[random(drawn.length)] ?? 'no fault'
}
