import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '../deps.ts'
import { measureDiskUsage } from '../space/folder-size.ts'
import { sumFilesIn } from '../uploads/queries.ts'

/** The disk space that Mayfly uses in `DATA_DIR`, in bytes per category. */
export interface DiskUsage {
  /** Files stored on this disk that have a row in the database. */
  files: number
  /** Bytes of unconfirmed uploads. */
  uploads: number
  /** The embedded database, including its WAL. */
  database: number
  /** The reserve file, which is deleted when the embedded database needs its space. */
  reserve: number
  /** Everything else in `DATA_DIR`, such as emails in the outbox. */
  other: number
}

type MeasuredPart = Exclude<keyof DiskUsage, 'files'>

/**
 * Measures each part of `DATA_DIR`. The size of uploaded files comes from the database, because
 * measuring millions of files would take too long.
 */
export async function readDiskUsage({
  config: { dataDir },
  db,
}: Pick<Deps, 'config' | 'db'>): Promise<DiskUsage> {
  const usage: DiskUsage = { files: await sumFilesIn(db, 'disk'), ...emptyParts }
  for (const name of await readdir(dataDir)) {
    if (name === 'files') continue
    usage[toMeasuredPart(name)] += await measureDiskUsage(join(dataDir, name))
  }
  return usage
}

const emptyParts: Record<MeasuredPart, number> = { uploads: 0, database: 0, reserve: 0, other: 0 }

/** Returns the category of an entry in `DATA_DIR`. */
function toMeasuredPart(name: string): MeasuredPart {
  if (name === 'uploads' || name === 'reserve') return name
  return name.startsWith('postgres') ? 'database' : 'other'
}
