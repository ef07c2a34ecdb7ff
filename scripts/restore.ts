/**
 * Restores a backup: `npm run restore FOLDER`. It reads the same settings as the server. The server
 * must be stopped, and its database and storage must be empty (docs/operations.md).
 */
import { resolve } from 'node:path'
import { restoreBackup } from '../src/server/backup/restore-backup.ts'
import { prepareDataDir } from '../src/server/boot/data-dir.ts'
import { openDatabase } from '../src/server/db/open.ts'
import { copyLimits, requireUnused } from '../src/server/db/open-beside.ts'
import { StartupError } from '../src/server/errors.ts'
import { openJobQueue } from '../src/server/jobs/job-queue.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { lettersToSend, runCommand } from './run-command.ts'

await runCommand(async (config) => {
  const folder = process.argv[2]
  if (!folder) throw new StartupError('Name the folder of the backup: npm run restore FOLDER')
  if (config.databaseUrl !== null) await requireUnused(config.databaseUrl)
  await prepareDataDir(config.dataDir)
  const log = await createLogger({ level: 'warn', format: 'readable' })
  const { pool, close } = await openDatabase(config, log, copyLimits)
  try {
    // Makes the tables of the job queue as this version of Mayfly needs them.
    await (await openJobQueue(pool, log)).stop()
    const clock = () => new Date()
    const { rows, objects } = await restoreBackup(resolve(folder), {
      config,
      clock,
      pool,
      more: lettersToSend,
    })
    return `Everything is restored: ${rows} rows, ${objects} files.`
  } finally {
    await close()
  }
})
