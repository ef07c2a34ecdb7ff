/**
 * Backs everything up into a folder: `npm run backup FOLDER`. It reads the same settings as the
 * server, and the server may run at the same time. `npm run backup -- --made-otherwise` makes no
 * backup, and notes that another program has made one (docs/operations.md).
 */
import { resolve } from 'node:path'
import { makeBackup } from '../src/server/backup/make-backup.ts'
import { noteOtherBackup } from '../src/server/backup/note-other-backup.ts'
import { StartupError } from '../src/server/errors.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { lettersToSend, runCommand, sayFaults } from './run-command.ts'

await runCommand(async (config) => {
  const folder = process.argv[2]
  if (!folder) throw new StartupError('Name the folder of the backup: npm run backup FOLDER')
  const log = await createLogger({ level: 'warn', format: 'readable' })
  const clock = () => new Date()
  if (folder === '--made-otherwise') {
    await noteOtherBackup({ config, clock, log })
    return 'It is noted that another program has made a backup.'
  }
  const made = await makeBackup(resolve(folder), { config, clock, log, more: lettersToSend })
  sayFaults(made.faults)
  return `The backup is complete: ${made.rows} rows, ${made.objects} files of ${made.bytes} bytes.`
})
