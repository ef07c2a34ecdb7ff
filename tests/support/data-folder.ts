import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '../../src/server/db/embedded-postgres.ts'

const execute = promisify(execFile)
const silent = { info() {}, warn() {} }

/** A new Postgres cluster, made once per process and copied for each data directory. */
let prepared: Promise<string> | undefined

async function prepare(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-cluster-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await (await startEmbeddedPostgres(folder, silent)).stop()
  return join(folder, 'postgres')
}

/**
 * Creates a data directory with an empty Postgres cluster, as a server's first start does, but ten
 * times as fast by copying one.
 */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  prepared ??= prepare()
  await mkdir(dataDir, { mode: 0o700 })
  // Keep owner and mode, or Postgres won't start.
  await execute('cp', ['-a', await prepared, dataDir])
}
