export interface ReleaseState {
  version: string
  changelog: string
  /** What `git status --porcelain` prints. */
  changes: string
  head: string
  /** The commit of the version's tag. Null if there is no tag. */
  tagged: string | null
}

/** Returns why this state can't be released, or null if it can. */
export function findReleaseProblem(state: ReleaseState): string | null {
  const { version, changelog, changes, head, tagged } = state
  if (changes !== '') return `There are changes that are not committed:\n${changes}`
  if (!/^\d+\.\d+\.\d+$/.test(version))
    return `${version} in package.json is not a release version.`
  const sections = Array.from(changelog.matchAll(/^## \[(.+?)\](.*)$/gm))
  const section = sections.find(([, name]) => name === version)
  if (!section || !/^ - \d{4}-\d{2}-\d{2}$/.test(section[2] ?? '')) {
    return `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`
  }
  if (tagged !== null && tagged !== head) {
    return `v${version} is tagged at another commit. Raise the version in package.json.`
  }
  const unreleased = changelog.split(/^## /m).find((text) => text.startsWith('[Unreleased]'))
  const entries =
    unreleased
      ?.split('\n')
      .slice(1)
      .filter((line) => !/^(#.*|\s*)$/.test(line)) ?? []
  if (entries.length > 0) {
    return `CHANGELOG.md has changes under "[Unreleased]". Move them to "[${version}]", or raise the version.`
  }
  return null
}
