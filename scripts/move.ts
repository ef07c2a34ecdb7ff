/**
 * Copies everything from DATA_DIR to DATABASE_URL and the bucket, or back: `npm run move out` and
 * `npm run move back`. It reads the same settings as the server. The server must be stopped
 * (docs/operations.md).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Direction, move } from '../src/server/backup/move.ts'
import { prepareDataDir } from '../src/server/boot/data-dir.ts'
import type { Config } from '../src/server/config/config.ts'
import { openDatabase } from '../src/server/db/open.ts'
import { copyLimits, requireUnused } from '../src/server/db/open-beside.ts'
import { StartupError } from '../src/server/errors.ts'
import { openJobQueue } from '../src/server/jobs/job-queue.ts'
import { createLogger } from '../src/server/logging/log.ts'
import { lettersToSend, runCommand, sayFaults } from './run-command.ts'

await runCommand(async (config) => {
  const direction = process.argv[2]
  if (direction !== 'out' && direction !== 'back') {
    throw new StartupError('Say where everything goes: npm run move out, or npm run move back.')
  }
  return await moveAll(config, direction)
})

async function moveAll(config: Config, direction: Direction): Promise<string> {
  const { dataDir, databaseUrl } = config
  if (databaseUrl === null) {
    throw new StartupError('Set DATABASE_URL to the database outside of DATA_DIR.')
  }
  if (direction === 'out' && !existsSync(join(dataDir, 'postgres'))) {
    throw new StartupError(`There is no embedded database in DATA_DIR ${dataDir}.`)
  }
  await requireUnused(databaseUrl)
  await prepareDataDir(dataDir)
  const log = await createLogger({ level: 'warn', format: 'readable' })
  const embedded = await openDatabase({ dataDir, databaseUrl: null }, log, copyLimits)
  try {
    const outside = await openDatabase({ dataDir, databaseUrl }, log, copyLimits)
    try {
      // Both databases get the tables of the job queue as this version of Mayfly needs them.
      for (const { pool } of [embedded, outside]) await (await openJobQueue(pool, log)).stop()
      const [from, to] = direction === 'out' ? [embedded, outside] : [outside, embedded]
      const moved = await move({
        direction,
        config,
        clock: () => new Date(),
        from: from.pool,
        to: to.pool,
        more: lettersToSend,
      })
      sayFaults(moved.faults)
      return `Everything is copied: ${moved.rows} rows, ${moved.objects} files.`
    } finally {
      await outside.close()
    }
  } finally {
    await embedded.close()
  }
}
