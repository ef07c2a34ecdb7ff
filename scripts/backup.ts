/**
 * `npm run backup FOLDER` backs up everything with the server's settings, even while the server is
 * running. `npm run backup -- --made-otherwise` only records a backup made by another program
 * (docs/operations.md).
 */
import { resolve } from 'node:path'
import { noteBackup } from '../src/server/backup/last-backup.ts'
import { makeBackup } from '../src/server/backup/make-backup.ts'
import { openReadOnly } from '../src/server/db/open.ts'
import { StartupError } from '../src/server/errors.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { printLine, queuedEmailRows, runCommand } from './run-command.ts'

await runCommand(async (config) => {
  const folder = process.argv[2]
  if (!folder) throw new StartupError('Usage: npm run backup FOLDER')
  const log = await createLogger({ level: 'warn', format: 'readable' })
  const clock = () => new Date()
  if (folder === '--made-otherwise') {
    const { pool, close } = await openReadOnly(config, log)
    const backup = { madeAt: clock().toISOString(), objects: 0, faults: 0, by: 'other' } as const
    await noteBackup(pool, backup).finally(close)
    return 'Noted that another program has made a backup.'
  }
  const backup = await makeBackup(resolve(folder), { config, clock, log, more: queuedEmailRows })
  if (backup.faults.length > 0) {
    printLine(
      `${backup.faults.length} files are missing from the backup because storage had lost or altered them: ${backup.faults.slice(0, 100).join(', ')}`,
    )
    process.exitCode = 1
  }
  return `The backup is complete: ${backup.rows} rows, ${backup.objects} files, ${backup.bytes} bytes.`
})
