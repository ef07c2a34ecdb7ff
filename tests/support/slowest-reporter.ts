import type { Reporter, TestModule } from 'vitest/node'
import { reportSlowest } from './slowest.ts'

/** Prints the slowest test files and tests of a run. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return { name: module.relativeModuleId, ms: collectDuration + duration }
    })
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        name: `${module.relativeModuleId} › ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
      })),
    )
    process.stdout.write(reportSlowest(files, tests))
  }
}
