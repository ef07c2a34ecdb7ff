import { describe } from 'vitest'

/** What some tests need of the machine, and not every machine has. */
export type MachineNeed = 's3Server' | 'smallDisk'

declare module 'vitest' {
  interface TaskMeta {
    /** What the machine lacks for the tests of this suite, which are skipped for that reason. */
    lacks?: MachineNeed
  }
}

/** Describes tests that are skipped where the machine lacks what they need. The run says so. */
export function describeNeeding(
  need: MachineNeed,
  isThere: boolean,
  name: string,
  tests: () => void,
): void {
  describe.skipIf(!isThere)(name, { meta: isThere ? {} : { lacks: need } }, tests)
}
