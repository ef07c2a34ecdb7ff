import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { LifelineDates } from '../../shared/rules/links/lifeline.ts'
import type { LinkFacts } from '../../shared/rules/links/link-status.ts'

let known: WeakMap<StoredFile, LinkFacts & LifelineDates> | undefined

/**
 * Returns the dates of a file and its link as `Date` objects, which the functions in `shared/rules`
 * take. The result is kept for each file, because a list of thousands of files needs it each time
 * the labels are updated.
 */
export function linkFacts(file: StoredFile): LinkFacts & LifelineDates {
  known ??= new WeakMap()
  const before = known.get(file)
  if (before) return before
  const facts = {
    createdAt: new Date(file.createdAt),
    expiresAt: new Date(file.expiresAt),
    maxLifetimeAt: new Date(file.maxLifetimeAt),
    purgingAt: file.purgingAt === null ? null : new Date(file.purgingAt),
  }
  known.set(file, facts)
  return facts
}
