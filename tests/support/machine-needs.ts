import { describe, inject } from 'vitest'
import { hasNginx } from '../../scripts/nginx.mjs'

/** What some tests require and some machines lack. */
export type MachineNeed = 's3Server' | 'smallDisk' | 'nginx' | 'systemd'

declare module 'vitest' {
  interface ProvidedContext {
    /** True if this run can mount file systems. */
    canMount: boolean
  }
  interface TaskMeta {
    /** The missing requirement for which these tests are skipped. */
    lacks?: MachineNeed
  }
}

/** Declares tests that are skipped, and reported as skipped, on machines that lack `need`. */
export function describeNeeding(
  need: MachineNeed,
  isThere: boolean,
  name: string,
  tests: () => void,
): void {
  describe.skipIf(!isThere)(name, { meta: isThere ? {} : { lacks: need } }, tests)
}

/** Declares tests that need nginx. */
export function describeBehindNginx(name: string, tests: () => void): void {
  describeNeeding('nginx', hasNginx(), name, tests)
}

/** Declares tests that mount a file system. */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  describeNeeding('smallDisk', inject('canMount'), name, tests)
}
