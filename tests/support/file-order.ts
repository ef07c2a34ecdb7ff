import { readFile } from 'node:fs/promises'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Vitest's order, except that each project starts with the files with a `@vitest-environment`:
 * changing the environment restarts the worker, which has to import everything again.
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
