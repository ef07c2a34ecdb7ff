import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ListMultipartUploadsCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import type { TestBucket } from '../support/bucket.ts'

/** Reads what a store contains, past the server. */
export interface StoredBytes {
  /** The sizes of all sealed objects, by storage key. */
  sealed(): Promise<Map<string, number>>
  /** The storage keys of all uploads of which the store has anything, such as a part. */
  arriving(): Promise<string[]>
  /** Whether an upload can begin in the store after the server has given it up. */
  mayBeginLate: boolean
}

/**
 * To test that a folder is writable, the server writes a file whose name begins with a dot. A
 * killed server may leave that file.
 */
function isOfServer(name: string): boolean {
  return name.startsWith('.')
}

/** Reads the folder of the disk store. */
export function bytesOnDisk(dataDir: string): StoredBytes {
  return {
    mayBeginLate: false,
    async sealed() {
      const sizes = new Map<string, number>()
      const found = { recursive: true, withFileTypes: true } as const
      for (const entry of await readdir(join(dataDir, 'files'), found)) {
        if (!entry.isFile() || isOfServer(entry.name)) continue
        const { size } = await stat(join(entry.parentPath, entry.name))
        sizes.set(entry.name, size)
      }
      return sizes
    },
    async arriving() {
      const names = await readdir(join(dataDir, 'uploads'))
      return names.filter((name) => !isOfServer(name)).map((name) => name.split('.', 1)[0] ?? '')
    },
  }
}

const prefix = 'files/'

/** Reads a bucket. */
export function bytesInBucket({ client, settings: { bucket: Bucket } }: TestBucket): StoredBytes {
  return {
    mayBeginLate: true,
    async sealed() {
      const sizes = new Map<string, number>()
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
        for (const { Key = '', Size = 0 } of page.Contents ?? []) {
          sizes.set(Key.slice(prefix.length), Size)
        }
      }
      return sizes
    },
    async arriving() {
      // The first page of this list has up to 1000 uploads. Jobs have removed the old ones before
      // this is called, so the first page has all that are left.
      const list = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix })
      const { Uploads = [] } = await client.send(list)
      return Uploads.map(({ Key = '' }) => Key.slice(prefix.length))
    },
  }
}
