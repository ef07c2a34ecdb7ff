import { readFile } from 'node:fs/promises'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Sorts the test files of a run as Vitest does. But in each project, the files with a
 * `@vitest-environment` come first, for example those that need a web page. Vitest ends a worker
 * when the next file needs another environment, and the new worker has to import everything again.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const asking = new Set<TestSpecification>()
    await Promise.all(
      sorted.map(async (file) => {
        const source = await readFile(file.moduleId, 'utf8')
        if (source.includes('@vitest-environment')) asking.add(file)
      }),
    )
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((ofProject) => [
      ...ofProject.filter((file) => asking.has(file)),
      ...ofProject.filter((file) => !asking.has(file)),
    ])
  }
}
