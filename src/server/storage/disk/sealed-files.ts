import * as nodeFs from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { SealedObjects } from '../storage.ts'
import { Folders } from './folders.ts'

/**
 * Opens a disk store's sealed objects. Opening doesn't change any object.
 * @param dataDir the store's folder, created if missing.
 */
export async function openSealedFiles(dataDir: string): Promise<SealedObjects> {
  const folders = await Folders.open(nodeFs, dataDir)
  return {
    name: 'disk',
    list: () => folders.list(),
    installation: () => folders.readInstallation(),
    claim: (installation) => folders.writeInstallation(installation),
    async read(key) {
      return (await folders.openSealed(key))?.createReadStream() ?? null
    },
    async write(key, size, bytes) {
      await folders.remove(key)
      const file = await folders.openUpload(key)
      await pipeline(bytes, file.createWriteStream())
      await folders.seal(key, size)
    },
    async copy(key, size, path) {
      await folders.copyUpload(key, path)
      await folders.seal(key, size)
    },
    remove: (key) => folders.remove(key),
    close: async () => undefined,
  }
}
