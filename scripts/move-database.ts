/**
 * Copies everything from the embedded database to that of DATABASE_URL, or back:
 * `npm run move-database to-url` and `npm run move-database to-embedded`. It takes the settings of
 * the server, which must be stopped (docs/operations.md).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig, readEnvironment } from '../src/server/config.ts'
import { prepareDataDir } from '../src/server/data-dir.ts'
import { moveDatabase, moveLimits, requireUnused } from '../src/server/db/move-database.ts'
import { openDatabase } from '../src/server/db/open.ts'
import { messageWithoutValues } from '../src/server/db/without-values.ts'
import { mailQueueName, openJobQueue } from '../src/server/jobs/job-queue.ts'
import { createLogger } from '../src/server/log.ts'
import { StartFault } from '../src/server/start-fault.ts'

const usage = 'Say where everything goes: npm run move-database to-url, or to-embedded.'

try {
  const direction = process.argv[2]
  if (direction !== 'to-url' && direction !== 'to-embedded') throw new StartFault(usage)
  const rows = await move(readConfig(readEnvironment()), direction)
  say(`Everything is copied: ${rows} rows.`)
} catch (error) {
  const isTold = error instanceof StartFault || error instanceof ConfigError
  say(isTold ? error.message : `Nothing was copied: ${messageWithoutValues(error)}`)
  process.exitCode = 1
}

async function move(config: Config, direction: 'to-url' | 'to-embedded'): Promise<number> {
  // Other users of this machine must not read what is made here.
  process.umask(0o077)
  const { dataDir, databaseUrl } = config
  if (databaseUrl === null) {
    throw new StartFault('Set DATABASE_URL to the database outside of DATA_DIR.')
  }
  if (direction === 'to-url' && !existsSync(join(dataDir, 'postgres'))) {
    throw new StartFault(`There is no embedded database in DATA_DIR ${dataDir}.`)
  }
  await requireUnused(databaseUrl)
  await prepareDataDir(dataDir)
  const log = await createLogger({ level: 'warn', format: 'readable' })
  const embedded = await openDatabase({ dataDir, databaseUrl: null }, log, moveLimits)
  try {
    const outside = await openDatabase({ dataDir, databaseUrl }, log, moveLimits)
    try {
      // Both databases get the tables of the job queue in the form of this version.
      for (const { pool } of [embedded, outside]) await (await openJobQueue(pool, log)).stop()
      const [from, to] =
        direction === 'to-url' ? [embedded.pool, outside.pool] : [outside.pool, embedded.pool]
      // Of the queue only mail is copied. Each start schedules the jobs again.
      return await moveDatabase({ from, to }, [
        { table: 'pgboss.job', where: `name = '${mailQueueName}'` },
      ])
    } finally {
      await outside.close()
    }
  } finally {
    await embedded.close()
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
