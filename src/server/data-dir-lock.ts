import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFault } from './start-fault.ts'

/**
 * Takes the data folder for this process, until the process ends or calls what this returns. Node
 * has no file locks, but SQLite has: its lock on `DATA_DIR/lock` ends with the process, however it
 * ends. The file stays empty.
 * @throws {StartFault} when another process has the folder.
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = new DatabaseSync(join(dataDir, 'lock'))
  try {
    lock.exec('begin exclusive')
  } catch (cause) {
    lock.close()
    throw new StartFault(
      `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
      { cause },
    )
  }
  return () => lock.close()
}
