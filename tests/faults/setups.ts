import { numbersFrom } from '../support/seeded-rounds.ts'

/** What users play against. */
export interface Setup {
  /** Where the server keeps files. A 'small disk' is a file system that a fault can fill. */
  store: 'disk' | 'small disk' | 'bucket'
  /** How many processes serve. Several are workers behind one port. */
  processes: number
  /** Whether the server must expect other servers on its database and store. */
  isOneOfSeveral: boolean
}

/** Every setup by its name. The reports and `--setup` use these names. */
export const setups = {
  alone: { store: 'disk', processes: 1, isOneOfSeveral: false },
  several: { store: 'disk', processes: 1, isOneOfSeveral: true },
  workers: { store: 'disk', processes: 2, isOneOfSeveral: true },
  'small-disk': { store: 'small disk', processes: 1, isOneOfSeveral: false },
  'small-disk-workers': { store: 'small disk', processes: 2, isOneOfSeveral: true },
  bucket: { store: 'bucket', processes: 1, isOneOfSeveral: true },
} as const satisfies Record<string, Setup>

export type SetupName = keyof typeof setups

export const setupNames = Object.keys(setups) as SetupName[]

/** Returns the setup of a seed. */
export function setupOf(seed: number): SetupName {
  return setupNames[numbersFrom(`${seed} setup`)(setupNames.length)] ?? 'alone'
}
