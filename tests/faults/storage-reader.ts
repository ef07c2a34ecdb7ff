import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ListMultipartUploadsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import type { TestBucket } from '../support/bucket.ts'

export interface StorageReader {
  /** The sizes of all sealed objects, by storage key. */
  sealedSizes(): Promise<Map<string, number>>
  /** The storage keys of all open uploads for which anything has been stored, such as a part. */
  listOpenUploads(): Promise<string[]>
  /**
   * True if the store may still start a multipart upload after the server's request for it has
   * timed out.
   */
  canStartLate: boolean
}

/**
 * Returns true for a dotfile that the server creates to check that a directory is writable. If the
 * server is killed, the file may stay behind.
 */
function isProbeFile(name: string): boolean {
  return name.startsWith('.')
}

export function createDiskReader(dataDir: string): StorageReader {
  return {
    canStartLate: false,
    async sealedSizes() {
      const sizesByKey = new Map<string, number>()
      const listOptions = { recursive: true, withFileTypes: true } as const
      for (const entry of await readdir(join(dataDir, 'files'), listOptions)) {
        if (!entry.isFile() || isProbeFile(entry.name)) continue
        const { size } = await stat(join(entry.parentPath, entry.name))
        sizesByKey.set(entry.name, size)
      }
      return sizesByKey
    },
    async listOpenUploads() {
      const names = await readdir(join(dataDir, 'uploads'))
      return names.filter((name) => !isProbeFile(name)).map((name) => name.split('.', 1)[0] ?? '')
    },
  }
}

const prefix = 'files/'

export function createBucketReader({
  client,
  settings: { bucket: Bucket },
}: TestBucket): StorageReader {
  return {
    canStartLate: true,
    async sealedSizes() {
      const sizesByKey = new Map<string, number>()
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
        for (const { Key = '', Size = 0 } of page.Contents ?? []) {
          sizesByKey.set(Key.slice(prefix.length), Size)
        }
      }
      return sizesByKey
    },
    async listOpenUploads() {
      // A single page of 1,000 uploads is enough, because the jobs have already removed old ones.
      const listCommand = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix })
      const { Uploads = [] } = await client.send(listCommand)
      return Uploads.map(({ Key = '' }) => Key.slice(prefix.length))
    },
  }
}
