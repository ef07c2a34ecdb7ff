import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { LifelineDates } from '../../shared/rules/lifeline.ts'
import type { LinkFacts } from '../../shared/rules/link-status.ts'

let known: WeakMap<StoredFile, LinkFacts & LifelineDates> | undefined

/**
 * Returns what the rules need to know of a file's link. It is read once per file: a list of
 * thousands asks for it at each tick of its labels.
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
