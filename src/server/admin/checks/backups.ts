import { join } from 'node:path'
import { counted } from '../../../shared/rules/counted.ts'
import { dayInMs } from '../../../shared/rules/time-units.ts'
import { findLastBackup, type LastBackup } from '../../backup/queries.ts'
import { type CheckDeps, type Finding, ok, warning } from './check.ts'
import { spanText } from './span-text.ts'

/** The check warns when the last backup is of more than this many milliseconds ago. */
const longestPauseMs = 7 * dayInMs

type BackupDeps = Pick<CheckDeps, 'clock' | 'config' | 'db' | 'stores'>

/**
 * Tells the administrator when `npm run backup` was last complete. The server makes no backups
 * itself, and it cannot see those of other programs. So as long as that command was never used, the
 * answer is 'ok' with a hint. A warning would stay even if backups are made in another way, and
 * would distract from other warnings.
 */
export async function checkBackups(deps: BackupDeps): Promise<Finding[]> {
  const last = await findLastBackup(deps.db)
  return [last === null ? ok(hint(deps)) : findingOf(last, deps.clock())]
}

function findingOf({ madeAt, objects, faults }: LastBackup, now: Date): Finding {
  const ageMs = Math.max(0, now.getTime() - new Date(madeAt).getTime())
  const message = `Last backup ${spanText(ageMs)} ago, ${counted(objects, 'file')}.`
  if (faults > 0) {
    return warning(
      `${message} It lacks ${counted(faults, 'file')}, whose bytes were missing in storage or altered there.`,
      'Run "npm run backup FOLDER" again with a new folder: it names these files by their ids. An older backup may have their bytes.',
    )
  }
  if (ageMs <= longestPauseMs) return ok(`${message} Its folder belongs on another machine.`)
  return warning(
    message,
    'Run "npm run backup FOLDER" with the settings of the server and a new folder, regularly, and keep the folder on another machine. A backup of a replica that takes no writes is not noted. If backups are made so or in another way now, remove the older note: delete from settings where key = \'last_backup\'.',
  )
}

function hint({ config: { dataDir, databaseUrl }, stores }: BackupDeps): string {
  const onDisk = stores.current.name === 'disk'
  if (databaseUrl !== null && !onDisk) {
    return 'Database and bucket are kept elsewhere, so their backups are made there, the database first and the bucket after it; or run "npm run backup FOLDER" for both.'
  }
  const place = databaseUrl === null ? dataDir : join(dataDir, 'files')
  return `None was made by "npm run backup FOLDER" yet, and the server cannot see those of other programs. What only this machine has lies in ${place}. Run the command regularly, while the server runs, with its settings and each time with a new folder, and keep the folder on another machine. "npm run restore FOLDER" brings it back.`
}
