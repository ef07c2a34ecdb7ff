import type { Deps } from '../deps.ts'
import { readInstallation } from '../settings/queries.ts'
import { StartFault } from '../start-fault.ts'
import { namesObjectsIn } from './queries.ts'

/**
 * Sees at the start that this database and this store belong together, and claims a new store. The
 * sweeps remove what the database does not name: beside a fresh or foreign database they would take
 * every file there is, and a store without the files would count as one where they are gone.
 * @throws {StartFault} when the two belong to different installations.
 */
export const bindStorage = async ({
  clock,
  db,
  storage,
}: Pick<Deps, 'clock' | 'db' | 'storage'>): Promise<void> => {
  const ours = await readInstallation(db, clock())
  const theirs = await storage.installation()
  if (theirs === ours) return
  if (theirs !== null || !(await isEmpty(storage))) {
    throw new StartFault(
      `The files in storage (${storage.name}) belong to another database than this one. Bring back ` +
        'the database they belong to, or start with an empty storage.',
    )
  }
  if (await namesObjectsIn(db, storage.name)) {
    throw new StartFault(
      `The database names files that this storage (${storage.name}) does not hold. Bring back the ` +
        'storage they are in, or start with an empty database.',
    )
  }
  await storage.claim(ours)
}

const isEmpty = async (storage: Deps['storage']): Promise<boolean> => {
  for await (const _ of storage.list()) return false
  return true
}
