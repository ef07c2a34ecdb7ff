import { formatSize, formatSizeLimit } from '../../../shared/rules/file-size.ts'
import { type Fullness, fullness } from '../../../shared/rules/storage-cap.ts'
import { sumStored } from '../../uploads/stored-queries.ts'
import { type CheckDeps, type Finding, failing, ok, warning } from './check.ts'

const cure =
  'Let people delete files, or raise the cap: in the Admin Center under Limits, or by the setting storage_cap. No restart is needed. Deleted files count until their bytes are gone, which takes minutes.'

/**
 * Compares the bytes in storage with the storage cap of this installation. From 80 % of the cap on,
 * the finding is a warning.
 */
export async function checkStorageCap({
  db,
  settings,
}: Pick<CheckDeps, 'db' | 'settings'>): Promise<Finding[]> {
  const { mostStored } = (await settings.current()).cap
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
  return [findings[fullness(stored, { mostStored })]()]
}
