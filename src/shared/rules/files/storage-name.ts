/**
 * The stores that can keep the bytes of files. The column `files.storage` names one for each file.
 */
export const storageNames = ['disk', 's3'] as const
export type StorageName = (typeof storageNames)[number]
