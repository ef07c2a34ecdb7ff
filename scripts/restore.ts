/**
 * `mayfly restore FOLDER` restores a backup to the database and storage that the server is
 * configured to use. Both must be empty, and the server must be stopped (docs/operations.md).
 */
import { parseArgs } from 'node:util'
import { verifyBackup } from '../src/server/backup/backup-folder.ts'
import { restoreBackup } from '../src/server/backup/restore-backup.ts'
import { prepareDataDir } from '../src/server/boot/data-dir.ts'
import { openDatabase, requireNoServer } from '../src/server/db/open.ts'
import { copyLimits } from '../src/server/db/pool.ts'
import { requireOwnDataDir } from '../src/server/db/postgres-folder.ts'
import { openJobQueue } from '../src/server/jobs/job-queue.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { formatCount } from '../src/shared/rules/format/numbers.ts'
import { queuedEmailRows, readArguments, resolveArgument, runCommand } from './run-command.ts'

const folder = readArguments('Usage: mayfly restore FOLDER', () => {
  const [path, ...others] = parseArgs({ allowPositionals: true }).positionals
  return path && others.length === 0 ? resolveArgument(path) : null
})

await runCommand(async (config) => {
  // Verify the backup before writing anything.
  const backup = await verifyBackup(folder)
  if (config.databaseUrl !== null) await requireNoServer(config.databaseUrl)
  await requireOwnDataDir(config.dataDir, '.')
  await prepareDataDir(config.dataDir)
  const log = await createLogger({ level: 'warn', format: 'readable' })
  const { pool, close } = await openDatabase(config, log, copyLimits)
  try {
    // Opening the job queue creates its tables.
    await (await openJobQueue(pool, log)).stop()
    const clock = () => new Date()
    const { rows, objects } = await restoreBackup(backup, {
      config,
      clock,
      pool,
      extraRowSets: queuedEmailRows,
    })
    return `Restored: ${formatCount(rows, 'row')}, ${formatCount(objects, 'file')}.`
  } finally {
    await close()
  }
})
