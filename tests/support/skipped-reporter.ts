import type { Reporter, TestModule } from 'vitest/node'
import { cephPackages, missingCephPrograms } from '../../scripts/ceph.mjs'

/** Says at the end of a run which tests had no S3 server to run against, and how many they are. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = missingCephPrograms()
    if (missing.length === 0) return
    const skipped = modules
      .filter((module) => module.project.name === 's3')
      .map((module) => ({
        file: module.relativeModuleId,
        count: [...module.children.allTests('skipped')].length,
      }))
      .filter(({ count }) => count > 0)
    if (skipped.length === 0) return
    const total = skipped.reduce((sum, { count }) => sum + count, 0)
    const lines = [
      `SKIPPED: ${total} tests that need a real S3 server. Not installed: ${missing.join(', ')}.`,
      ...skipped.map(({ file, count }) => `  ${file}: ${count}`),
      `Debian: sudo apt-get install --no-install-recommends ${cephPackages.join(' ')}`,
    ]
    process.stderr.write(`\n${lines.join('\n')}\n`)
  }
}
