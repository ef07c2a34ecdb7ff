import { cleanFileName } from '../../shared/rules/files/file-name.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import { isConnectionLost } from '../db/db-errors.ts'
import type { Deps } from '../deps.ts'
import { listNames, nextFilePage, renameFile } from '../files/queries.ts'

/** Limits how many names are held in memory at once. */
const pageSize = 1000

/**
 * Applies the current rule for upload names (spec §5) to all files, because the rule may have been
 * less strict when they were uploaded.
 * @returns how many files were renamed, and how many couldn't be.
 */
export async function sanitizeFileNames(
  { clock, db, log }: Pick<Deps, 'clock' | 'db' | 'log'>,
  actor: Actor,
): Promise<{ updated: number; errors: number }> {
  const details = { updated: 0, errors: 0 }
  try {
    let lastFileId: string | null = null
    do {
      const page = await nextFilePage(db, lastFileId, pageSize)
      for (const { id, originalName } of await listNames(db, page)) {
        const cleanName = cleanFileName(originalName)
        if (cleanName === originalName) continue
        try {
          if (await renameFile(db, { id, from: originalName, to: cleanName })) details.updated += 1
        } catch (error) {
          if (isConnectionLost(error)) throw error
          log.error({ err: error, fileId: id }, 'could not clean the name of a file')
          details.errors += 1
        }
      }
      lastFileId = page.end
    } while (lastFileId !== null)
  } finally {
    await writeAudit(db, [adminEntry(actor, clock(), { action: 'sanitize-file-names', details })])
  }
  return details
}
