import type { Logger } from 'pino'
import { cleanFileName } from '../../shared/rules/files/file-name.ts'
import type { Actor } from '../audit/actor.ts'
import { writeAudit } from '../audit/audit-log.ts'
import { isConnectionLost } from '../db/db-errors.ts'
import type { Db, Deps } from '../deps.ts'
import { listNames, nextFilePage, renameFiles } from '../files/queries.ts'
import { actionEntry } from './action-entry.ts'

/** How many names are in memory at the same time, and how many one statement changes at most. */
const pageSize = 1000

/** How many files got a new name, and how many names could not be changed. */
interface Sanitized {
  updated: number
  errors: number
}

interface NewName {
  id: string
  from: string
  to: string
}

/**
 * Cleans the names of all files by the rule for new uploads (spec §5). An earlier version of that
 * rule may have allowed names that are not clean. If a name cannot be changed, this function counts
 * and logs it, and continues with the others. The audit log gets the figures of each page, and
 * their sums so far, as in `cleanUpExpired`.
 */
export async function sanitizeFileNames(
  { clock, db, log }: Pick<Deps, 'clock' | 'db' | 'log'>,
  actor: Actor,
): Promise<Sanitized> {
  const total: Sanitized = { updated: 0, errors: 0 }
  const told = (figures: Sanitized) => {
    const isFirst = total.updated + total.errors === 0
    const sums = !isFirst && {
      totalUpdated: total.updated + figures.updated,
      totalErrors: total.errors + figures.errors,
    }
    return actionEntry('sanitize-file-names', actor, { ...figures, ...sums }, clock())
  }
  let after: string | null = null
  for (;;) {
    const page = await nextFilePage(db, after, pageSize)
    const names = uncleanOf(await listNames(db, page))
    if (names.length > 0) {
      const done = await db.transaction(async (tx) => {
        const figures = await renameAll(tx, names, log)
        await writeAudit(tx, [told(figures)])
        return figures
      })
      total.updated += done.updated
      total.errors += done.errors
    }
    if (page.end === null) break
    after = page.end
  }
  if (total.updated + total.errors === 0) await writeAudit(db, [told(total)])
  return total
}

function uncleanOf(files: readonly { id: string; originalName: string }[]): NewName[] {
  return files
    .map(({ id, originalName }) => ({ id, from: originalName, to: cleanFileName(originalName) }))
    .filter(({ from, to }) => from !== to)
}

/**
 * Changes these names in one statement. If the statement fails, it tries each half of the names
 * separately. So one name that cannot be changed does not stop the others. Each failed statement is
 * rolled back alone.
 */
async function renameAll(tx: Db, names: readonly NewName[], log: Logger): Promise<Sanitized> {
  try {
    return { updated: await tx.transaction((part) => renameFiles(part, names)), errors: 0 }
  } catch (error) {
    if (isConnectionLost(error)) throw error
    const [only] = names
    if (names.length === 1) {
      log.error({ err: error, fileId: only?.id }, 'the name of a file could not be cleaned')
      return { updated: 0, errors: 1 }
    }
  }
  const half = Math.ceil(names.length / 2)
  const first = await renameAll(tx, names.slice(0, half), log)
  const second = await renameAll(tx, names.slice(half), log)
  return { updated: first.updated + second.updated, errors: first.errors + second.errors }
}
