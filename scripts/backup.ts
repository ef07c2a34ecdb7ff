/**
 * `mayfly backup FOLDER` backs up the database and storage that the server is configured to use,
 * even while the server is running. `mayfly backup --record-only` only records that another
 * program made a backup (docs/operations.md).
 */
import { parseArgs } from 'node:util'
import { recordBackup } from '../src/server/backup/last-backup.ts'
import { makeBackup } from '../src/server/backup/make-backup.ts'
import { openDatabaseInUse } from '../src/server/db/open.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { formatCount } from '../src/shared/rules/format/numbers.ts'
import {
  printLine,
  queuedEmailRows,
  readArguments,
  resolveArgument,
  runCommand,
} from './run-command.ts'

/** Null with `--record-only`. */
const { folder } = readArguments('Usage: mayfly backup FOLDER | --record-only', () => {
  const options = { 'record-only': { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [path, ...others] = positionals
  if (values['record-only']) return path === undefined ? { folder: null } : null
  return path && others.length === 0 ? { folder: resolveArgument(path) } : null
})

await runCommand(async (config) => {
  const log = await createLogger({ level: 'warn', format: 'readable' })
  const clock = () => new Date()
  if (folder === null) {
    const { pool, close } = await openDatabaseInUse(config, log)
    const backup = { madeAt: clock().toISOString(), objects: 0, faults: 0, by: 'other' } as const
    await recordBackup(pool, backup).finally(close)
    return 'Recorded a backup made by another program.'
  }
  const backup = await makeBackup(folder, {
    config,
    clock,
    log,
    extraRowSets: queuedEmailRows,
  })
  if (backup.damagedFileIds.length > 0) {
    printLine(
      `The backup lacks ${formatCount(backup.damagedFileIds.length, 'file')} that storage had lost or altered: ${backup.damagedFileIds.slice(0, 100).join(', ')}`,
    )
    process.exitCode = 1
  }
  return `The backup is complete: ${formatCount(backup.rows, 'row')}, ${formatCount(backup.objects, 'file')}, ${formatCount(backup.bytes, 'byte')}.`
})
