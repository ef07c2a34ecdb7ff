/** The stores that can keep a file's bytes. `files.storage` holds the name for each file. */
export const storageNames = ['disk', 's3'] as const
export type StorageName = (typeof storageNames)[number]
