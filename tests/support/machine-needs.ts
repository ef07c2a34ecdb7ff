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
    /** What the machine lacks. The tests of this suite are skipped for that reason. */
    lacks?: MachineNeed
  }
}

/**
 * Describes tests that are skipped where the machine lacks what they need. The run reports that.
 */
export function describeNeeding(
  need: MachineNeed,
  isThere: boolean,
  name: string,
  tests: () => void,
): void {
  describe.skipIf(!isThere)(name, { meta: isThere ? {} : { lacks: need } }, tests)
}

/**
 * Describes tests that put a real nginx in front of servers. Where nginx is missing they are
 * skipped, and the run reports that.
 */
export function describeBehindNginx(name: string, tests: () => void): void {
  describeNeeding('nginx', hasNginx(), name, tests)
}

/**
 * Describes tests that need a file system of their own. Where none can be mounted they are skipped,
 * and the run reports that.
 */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  describeNeeding('smallDisk', inject('canMount'), name, tests)
}
