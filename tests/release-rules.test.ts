import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findReleaseProblem } from '../scripts/release-rules.ts'
import { root } from './support/child-program.ts'

const state = {
  version: '1.2.3',
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-11-29\n\n- A change\n',
  changes: '',
  head: 'a1b2',
  tagged: null,
}

test('a committed version with a changelog can be released, and its package made again', () => {
  expect(findReleaseProblem(state)).toBeNull()
  expect(findReleaseProblem({ ...state, tagged: state.head })).toBeNull()
})

test.each([
  ['uncommitted changes', { changes: ' M README.md' }, 'README.md'],
  ['a version of a preview', { version: '1.2.3-beta' }, 'not a release version'],
  ['a version without a section', { version: '1.2.4' }, '## [1.2.4] - YYYY-MM-DD'],
  [
    'a change without a version',
    { changelog: state.changelog.replace('## [Unreleased]\n', '$&\n### Fixed\n\n* A change\n') },
    'changes under "[Unreleased]"',
  ],
  ['a section without a date', { changelog: '## [1.2.3]\n' }, '## [1.2.3] - YYYY-MM-DD'],
  ['a version that was released', { tagged: 'c3d4' }, 'tagged at another commit'],
])('%s cannot be released', (_, change, problem) => {
  expect(findReleaseProblem({ ...state, ...change })).toContain(problem)
})

test('this version has its section in the changelog', async () => {
  const [manifest, changelog] = await Promise.all(
    ['package.json', 'CHANGELOG.md'].map((name) => readFile(join(root, name), 'utf8')),
  )
  const { version } = JSON.parse(manifest ?? '')
  const problem = findReleaseProblem({ ...state, version, changelog: changelog ?? '' })
  // Between releases, there are changes that the next one will contain.
  expect(problem ?? '').toMatch(/^$|under "\[Unreleased\]"/)
})
