import { relative } from 'node:path'
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { reportSlowest, type Timing } from '../../support/slowest.ts'

/** Prints the slowest files and tests of a run. */
export default class SlowestReporter implements Reporter {
  readonly #files = new Map<string, number>()
  readonly #tests: Timing[] = []

  onTestEnd({ location, title }: TestCase, { duration }: TestResult): void {
    const file = relative(process.cwd(), location.file)
    this.#files.set(file, (this.#files.get(file) ?? 0) + duration)
    this.#tests.push({ name: `${file} › ${title}`, ms: duration })
  }

  onEnd(): void {
    const files = [...this.#files].map(([name, ms]) => ({ name, ms }))
    process.stdout.write(reportSlowest(files, this.#tests))
  }
}
