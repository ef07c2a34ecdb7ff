import { formatCount } from '../../../shared/rules/format/numbers.ts'
import { dayInMs } from '../../../shared/rules/format/units.ts'
import { findFirstUse, findLastBackup, type LastBackup } from '../../backup/last-backup.ts'
import { type CheckDeps, type Finding, ok, shellQuote, warning } from './check.ts'
import { spanText } from './span-text.ts'

const maxBackupAgeMs = 7 * dayInMs

const backupCommand = '"npm run backup FOLDER" ("mayfly backup FOLDER" if installed as a package)'

type BackupDeps = Pick<CheckDeps, 'clock' | 'config' | 'db' | 'stores'>

/**
 * Reports when `npm run backup` last recorded a backup; the server makes none itself. If none is
 * recorded, the check shows a hint for the first 7 days and a warning after that. This applies even
 * if the database and the bucket are reached over the network, because both may still run on this
 * machine.
 */
export async function checkBackups(deps: BackupDeps): Promise<Finding[]> {
  const now = deps.clock()
  const lastBackup = await findLastBackup(deps.db)
  if (lastBackup !== null) return [lastBackupFinding(lastBackup, now)]
  const firstUsedAt = (await findFirstUse(deps.db)) ?? now
  const ageMs = now.getTime() - firstUsedAt.getTime()
  const noBackup = 'No backup is recorded.'
  if (ageMs > maxBackupAgeMs) {
    return [
      warning(
        `${noBackup} This server has been in use for ${spanText(ageMs)}.`,
        backupInstructions(deps),
      ),
    ]
  }
  return [
    ok(`${noBackup} This server is new: a warning comes after 7 days. ${backupInstructions(deps)}`),
  ]
}

function lastBackupFinding({ madeAt, objects, faults, by }: LastBackup, now: Date): Finding {
  const ageMs = Math.max(0, now.getTime() - new Date(madeAt).getTime())
  const summary = by === 'command' ? formatCount(objects, 'file') : 'made by another program'
  const message = `Last backup ${spanText(ageMs)} ago, ${summary}.`
  if (faults > 0) {
    return warning(
      `${message} It lacks ${formatCount(faults, 'file')} whose bytes were missing or corrupted in storage.`,
      `Run ${backupCommand} again with a new folder: it lists the ids of these files. An older backup may have them.`,
    )
  }
  if (ageMs <= maxBackupAgeMs) return ok(`${message} Keep it on another machine.`)
  return warning(
    message,
    `Run ${backupCommand} with the settings of the server and a new folder, regularly, and keep the folder on another machine. A backup of a read-only replica is not recorded. ${otherProgramsHint}`,
  )
}

const otherProgramsHint =
  'If another program makes the backups, have it run "npm run backup -- --record-only" ("mayfly backup --record-only") after each of them.'

function backupInstructions({ config, stores }: BackupDeps): string {
  const isOutsideDataDir = config.databaseUrl !== null && stores.current.name !== 'disk'
  const location = isOutsideDataDir
    ? 'Everything is in the database and the bucket, perhaps on this one machine.'
    : `Data that exists only on this machine is in ${shellQuote(config.dataDir)}.`
  return `${location} Run ${backupCommand} regularly, while the server runs, with its settings and each time with a new folder, and keep the folder on another machine. "npm run restore FOLDER" ("mayfly restore FOLDER") brings it back. ${otherProgramsHint}`
}
