/** The kinds of stores. The column `files.storage` records which of them has a file's bytes. */
export const storageNames = ['disk', 's3'] as const
export type StorageName = (typeof storageNames)[number]
