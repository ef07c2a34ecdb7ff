import { relative } from 'node:path'
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { reportSlowest, type Timed } from '../../support/slowest.ts'

/** Prints the slowest files and tests of a run. */
export default class SlowestReporter implements Reporter {
  readonly #files = new Map<string, number>()
  readonly #tests: Timed[] = []

  onTestEnd({ location, title }: TestCase, { duration }: TestResult): void {
    const file = relative(process.cwd(), location.file)
    this.#files.set(file, (this.#files.get(file) ?? 0) + duration)
    this.#tests.push({ what: `${file} › ${title}`, ms: duration })
  }

  onEnd(): void {
    const files = [...this.#files].map(([what, ms]) => ({ what, ms }))
    process.stdout.write(reportSlowest(files, this.#tests))
  }
}
