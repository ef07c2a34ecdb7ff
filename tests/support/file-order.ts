import { readFile } from 'node:fs/promises'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The order in which a run plays its test files: Vitest's own, but in each project the files that
 * ask for an environment of their own, such as a web page, come first. Vitest ends a worker when its
 * next file needs another environment, and the new worker imports everything again.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // This order is by project.
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
