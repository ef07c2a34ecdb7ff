import { capKeys } from '../../shared/rules/files/storage-cap.ts'
import { limitKeys } from '../../shared/rules/tiers/limit-settings.ts'
import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { sumStored } from '../uploads/queries.ts'
import { readDiskUsage } from './disk-usage.ts'

/** The endpoint that shows the administrator the limits, the caps and the current usage. */
export function limitRoutes({
  config,
  db,
  settings,
  space,
  stores,
}: Pick<Deps, 'config' | 'db' | 'settings' | 'space' | 'stores'>) {
  const readDisk = async () => {
    if (stores.current.name !== 'disk') return null
    const [figures, use] = await Promise.all([space.readStatus(), readDiskUsage({ config, db })])
    const { free, size, minFree, operatorMinFree } = figures
    return { free, size, leastFree: minFree, minFree: operatorMinFree, use }
  }
  return {
    async adminLimits() {
      const { values } = await settings.readNow()
      const entries = [...limitKeys, ...capKeys].map((key) => [key, values[key]])
      const [stored, disk] = await Promise.all([sumStored(db), readDisk()])
      return { values: Object.fromEntries(entries), stored, disk }
    },
  } satisfies Partial<Handlers>
}
