import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '../deps.ts'
import { takenBytes } from '../space/taken-bytes.ts'
import { sumFilesIn } from '../uploads/queries.ts'

/** What Mayfly takes up on the disk of `DATA_DIR`, in bytes. */
export interface DiskUse {
  /** The sizes of the files that the database knows of on this disk. */
  files: number
  /** What has arrived of uploads that nobody has confirmed. */
  uploads: number
  /** The embedded database with its log. */
  database: number
  /** The space that is kept for the embedded database. */
  reserve: number
  /** Everything else in `DATA_DIR`, such as emails in the outbox. */
  other: number
}

type Measured = Exclude<keyof DiskUse, 'files'>

/**
 * Reads how much each part of `DATA_DIR` takes up. It looks at each file there, except those that
 * people have uploaded: for these it asks the database, because there may be millions.
 */
export async function readDiskUse({
  config: { dataDir },
  db,
}: Pick<Deps, 'config' | 'db'>): Promise<DiskUse> {
  const use: DiskUse = { files: await sumFilesIn(db, 'disk'), ...nothing }
  for (const name of await readdir(dataDir)) {
    if (name === 'files') continue
    use[partOf(name)] += await takenBytes(join(dataDir, name))
  }
  return use
}

const nothing: Record<Measured, number> = { uploads: 0, database: 0, reserve: 0, other: 0 }

/** Returns what an entry of `DATA_DIR` belongs to. */
function partOf(name: string): Measured {
  if (name === 'uploads' || name === 'reserve') return name
  return name.startsWith('postgres') ? 'database' : 'other'
}
