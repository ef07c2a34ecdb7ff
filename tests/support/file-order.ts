import { readFile } from 'node:fs/promises'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Keeps Vitest's order, except that each project begins with the files that set a
 * `@vitest-environment`. Whenever the environment changes, the worker restarts and has to import
 * everything again.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sortedFiles = await super.sort(files)
    const environmentFiles = new Set<TestSpecification>()
    await Promise.all(
      sortedFiles.map(async (file) => {
        const source = await readFile(file.moduleId, 'utf8')
        if (source.includes('@vitest-environment')) environmentFiles.add(file)
      }),
    )
    return [...Map.groupBy(sortedFiles, ({ project }) => project).values()].flatMap(
      (projectFiles) => [
        ...projectFiles.filter((file) => environmentFiles.has(file)),
        ...projectFiles.filter((file) => !environmentFiles.has(file)),
      ],
    )
  }
}
