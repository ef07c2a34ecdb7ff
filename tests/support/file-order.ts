import { readFile } from 'node:fs/promises'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The S3 server starts while the first tests run. The last tests are short, so no worker is idle
 * for long at the end.
 */
const projectNames = ['server', 's3', 'unit']

/**
 * Keeps Vitest's order within a project, except that each begins with the files that set a
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
    return projectNames.flatMap((name) => {
      const projectFiles = sortedFiles.filter(({ project }) => project.name === name)
      return [
        ...projectFiles.filter((file) => environmentFiles.has(file)),
        ...projectFiles.filter((file) => !environmentFiles.has(file)),
      ]
    })
  }
}
