import { seededRandom } from '../support/seeded-rounds.ts'

/** The kind of storage that a scenario uses. */
export interface Setup {
  /** 'small disk' is a file system small enough for faults to fill. */
  store: 'disk' | 'small disk' | 'bucket'
}

/** Every setup by name, for reports and `--setup`. */
export const setups = {
  disk: { store: 'disk' },
  'small-disk': { store: 'small disk' },
  bucket: { store: 'bucket' },
} as const satisfies Record<string, Setup>

export type SetupName = keyof typeof setups

export const setupNames = Object.keys(setups) as SetupName[]

export function setupForSeed(seed: number): SetupName {
  return setupNames[seededRandom(`${seed} setup`)(setupNames.length)] ?? 'disk'
}
