/** The stores a file's bytes can live in; `files.storage` keeps the name with each file. */
export const storageNames = ['disk', 's3'] as const
export type StorageName = (typeof storageNames)[number]
