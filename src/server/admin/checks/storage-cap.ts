import { formatSize, formatSizeLimit } from '../../../shared/rules/file-size.ts'
import { type Fullness, filesOverCap, fullness } from '../../../shared/rules/storage-cap.ts'
import { sumStored } from '../../uploads/stored-queries.ts'
import { type CheckDeps, type Finding, failing, ok, warning } from './check.ts'

const cure =
  'In the Admin Center: raise the cap under Limits ("Bytes in storage at most", the setting storage_cap), take files down under Reports, delete a user who stores much under Users, or run "Clean up expired files" under Maintenance. No restart is needed.'

/**
 * Compares the bytes in storage with the storage cap of this installation. From 80 % of the cap on,
 * the finding is a warning.
 */
export async function checkStorageCap({
  db,
  settings,
}: Pick<CheckDeps, 'db' | 'settings'>): Promise<Finding[]> {
  const { cap, limits } = await settings.current()
  const { mostStored } = cap
  const { files, uploads } = await sumStored(db)
  const stored = files + uploads
  if (mostStored === null) return [ok(`${formatSize(stored)} are stored. There is no cap.`)]
  const percent = Math.floor((stored / mostStored) * 100)
  const used = `${formatSize(stored)} of ${formatSizeLimit(mostStored)} are used (${percent} %), ${formatSize(uploads)} of them by uploads under way`
  const findings: Record<Fullness, () => Finding> = {
    ok: () => ok(`${used}.`),
    warning: () =>
      warning(
        `${used}. An upload larger than the ${formatSize(mostStored - stored)} that are left is refused.`,
        cure,
      ),
    full: () => failing(`${used}. New uploads are refused.`, cure),
  }
  const state = fullness(stored, { mostStored })
  const tooLarge = filesOverCap(mostStored, limits)
  if (state === 'ok' && tooLarge !== null) {
    const lower =
      'Raise the cap, or lower the size of a file: both in the Admin Center under Limits.'
    return [warning(`${used}. ${tooLarge}`, lower)]
  }
  return [findings[state]()]
}
