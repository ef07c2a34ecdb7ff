import type { Reporter, TestModule } from 'vitest/node'
import { cephPackages, missingCephPrograms } from '../../scripts/ceph.mjs'

/** Reports at the end of a run how many tests were skipped, and what the machine lacks for them. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = missingCephPrograms()
    if (missing.length > 0) {
      say(
        modules.filter(({ project }) => project.name === 's3'),
        `a real S3 server. Not installed: ${missing.join(', ')}.`,
        `Debian: sudo apt-get install --no-install-recommends ${cephPackages.join(' ')}`,
      )
    }
    say(
      modules.filter(({ project }) => project.name === 'server'),
      'a small disk of their own, and no file system can be mounted here.',
      'Run them as root, in a container with CAP_SYS_ADMIN',
    )
  }
}

/** Prints the files whose tests were skipped, if there are any. */
function say(modules: readonly TestModule[], need: string, cure: string): void {
  const skipped = modules
    .map((module) => ({
      file: module.relativeModuleId,
      count: [...module.children.allTests('skipped')].length,
    }))
    .filter(({ count }) => count > 0)
  if (skipped.length === 0) return
  const total = skipped.reduce((sum, { count }) => sum + count, 0)
  const files = skipped.map(({ file, count }) => `  ${file}: ${count}`)
  const lines = [`SKIPPED: ${total} tests that need ${need}`, ...files, cure]
  process.stderr.write(`\n${lines.join('\n')}\n`)
}
