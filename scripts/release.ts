/**
 * `npm run release` makes a release of the current commit: dist/mayfly-VERSION.tgz and the tag
 * vVERSION. Publishing both is up to the maintainer.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findReleaseProblem } from './release-rules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const tag = `v${version}`
const lookup = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${tag}^{commit}`], {
  cwd: root,
  encoding: 'utf8',
})
const tagged = lookup.status === 0 ? lookup.stdout.trim() : null
const problem = findReleaseProblem({
  version,
  changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  changes: git('status', '--porcelain'),
  head: git('rev-parse', 'HEAD'),
  tagged,
})
if (problem !== null) {
  console.error(problem)
  process.exitCode = 1
} else {
  execFileSync('npm', ['run', '--silent', 'package'], { cwd: root, stdio: 'inherit' })
  if (tagged === null) git('tag', '--annotate', tag, '--message', `Mayfly ${version}`)
  console.error(
    `The release is dist/mayfly-${version}.tgz, tagged ${tag}. Push the tag to publish it.`,
  )
}
