/** The available stores. The column `files.storage` names the store of each file. */
export const storageNames = ['disk', 's3'] as const
export type StorageName = (typeof storageNames)[number]
