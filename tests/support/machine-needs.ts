import { describe, inject } from 'vitest'
import { hasNginx } from '../../scripts/nginx.mjs'

/** What some tests need and not every machine has. */
export type MachineNeed = 's3Server' | 'smallDisk' | 'nginx' | 'systemd'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this run may mount a file system. */
    canMount: boolean
  }
  interface TaskMeta {
    /** What the machine lacks, so that these tests are skipped. */
    lacks?: MachineNeed
  }
}

/** Skips tests, and reports it, where the machine lacks what they need. */
export function describeNeeding(
  need: MachineNeed,
  isThere: boolean,
  name: string,
  tests: () => void,
): void {
  describe.skipIf(!isThere)(name, { meta: isThere ? {} : { lacks: need } }, tests)
}

/** Tests that need nginx. */
export function describeBehindNginx(name: string, tests: () => void): void {
  describeNeeding('nginx', hasNginx(), name, tests)
}

/** Tests that mount a file system. */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  describeNeeding('smallDisk', inject('canMount'), name, tests)
}
