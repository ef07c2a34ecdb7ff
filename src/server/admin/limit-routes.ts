import { limitKeys } from '../../shared/rules/limit-settings.ts'
import { capKeys } from '../../shared/rules/storage-cap.ts'
import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { readFreeSpace, spaceToLeave } from '../space/free-space.ts'
import { sumStored } from '../uploads/stored-queries.ts'

/** The call that shows the administrator the limits and caps, and how much of them is in use. */
export function limitRoutes({
  config,
  db,
  settings,
  stores,
}: Pick<Deps, 'config' | 'db' | 'settings' | 'stores'>): Handlers<'adminLimits'> {
  const readDisk = async (leastFree: number) => {
    if (stores.current.name !== 'disk') return null
    const { free, size } = await readFreeSpace(config.dataDir)
    const wanted = { minFree: config.minFreeSpace, leastFree }
    return { free, size, leastFree: spaceToLeave(size, wanted) }
  }
  return {
    async adminLimits() {
      const { values, cap } = await settings.readNow()
      const shown = [...limitKeys, ...capKeys].map((key) => [key, values[key]])
      const [stored, disk] = await Promise.all([sumStored(db), readDisk(cap.leastFree)])
      return { values: Object.fromEntries(shown), stored, disk }
    },
  }
}
