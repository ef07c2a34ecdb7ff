/** The available stores. The column `files.storage` records which one has a file's bytes. */
export const storageNames = ['disk', 's3'] as const
export type StorageName = (typeof storageNames)[number]
