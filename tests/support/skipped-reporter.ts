import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { cephPackages, missingCephPrograms } from '../../scripts/ceph.mjs'
import type { TestRequirement } from './test-requirements.ts'

function describeRequirements(): Record<TestRequirement, string[]> {
  return {
    s3Server: [
      `a real S3 server. Not installed: ${missingCephPrograms().join(', ')}.`,
      `Debian: sudo apt-get install --no-install-recommends ${cephPackages.join(' ')}`,
    ],
    nginx: ['nginx, which is not installed.', 'Debian: sudo apt-get install nginx'],
    systemd: ['systemd-analyze, which is not installed.', 'Debian: sudo apt-get install systemd'],
    history: [
      'the commit before, which is missing here.',
      'Clone the repository with its history: git fetch --unshallow',
    ],
    smallDisk: [
      'a small disk of their own, and no file system can be mounted here.',
      'Run them as root, in a container with CAP_SYS_ADMIN',
    ],
  }
}

/** Reports how many tests were skipped because this machine lacks something that they need. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skippedTests = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const selectedTests = skippedTests.filter(isSelected)
    for (const [requirement, [description, remedy]] of Object.entries(describeRequirements())) {
      const tests = selectedTests.filter((test) => findMissingRequirement(test) === requirement)
      if (tests.length === 0) continue
      const testsByFile = Map.groupBy(tests, ({ module }) => module.relativeModuleId)
      const fileLines = [...testsByFile].map(([file, { length }]) => `  ${file}: ${length}`)
      const lines = [
        `SKIPPED: ${tests.length} tests that need ${description}`,
        ...fileLines,
        remedy,
      ]
      process.stderr.write(`\n${lines.join('\n')}\n`)
    }
  }
}

function findMissingRequirement(test: TestCase): TestRequirement | undefined {
  let node: TestCase | TestSuite | TestModule = test
  while (node.type !== 'module') {
    const { missingRequirement } = node.meta()
    if (missingRequirement) return missingRequirement
    node = node.parent
  }
  return undefined
}

/**
 * Returns true if the `-t` filter selects this test. Vitest matches the filter against the full
 * name without the `>` separators.
 */
function isSelected({ fullName, project }: TestCase): boolean {
  const { testNamePattern } = project.config
  return testNamePattern === undefined || testNamePattern.test(fullName.replaceAll(' > ', ' '))
}
