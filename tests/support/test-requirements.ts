import { describe, inject } from 'vitest'
import { hasNginx } from '../../scripts/nginx.mjs'

/** Things that some tests need and that not every machine has. */
export type TestRequirement = 's3Server' | 'smallDisk' | 'nginx' | 'systemd' | 'history'

declare module 'vitest' {
  interface ProvidedContext {
    /** True if this run can mount file systems. */
    canMount: boolean
  }
  interface TaskMeta {
    /**
     * What the tests need but this machine lacks. Set only if they were skipped for that reason.
     */
    missingRequirement?: TestRequirement
  }
}

/**
 * Declares tests that need `requirement`. On machines that don't have it, the tests are reported as
 * skipped.
 */
export function describeRequiring(
  requirement: TestRequirement,
  isAvailable: boolean,
  name: string,
  tests: () => void,
): void {
  describe.skipIf(!isAvailable)(
    name,
    { meta: isAvailable ? {} : { missingRequirement: requirement } },
    tests,
  )
}

/** Declares tests that need nginx. */
export function describeBehindNginx(name: string, tests: () => void): void {
  describeRequiring('nginx', hasNginx(), name, tests)
}

/** Declares tests that mount a file system. */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  describeRequiring('smallDisk', inject('canMount'), name, tests)
}
