import type { Readable } from 'node:stream'
import type { Storage } from './storage.ts'

/**
 * The sealed objects of a store, for those who copy them whole: a backup, a restore, a move to
 * another store. Opening it changes nothing in the store, so a server may use the store meanwhile.
 */
export interface SealedObjects
  extends Pick<Storage, 'name' | 'list' | 'installation' | 'claim' | 'remove'> {
  /** Opens an object. The stream gives its bytes, or fails. Returns null when there is none. */
  read(key: string): Promise<Readable | null>
  /**
   * Writes an object, in place of what is there under its key. When this resolves, it is sealed and
   * survives a power cut. If the stream fails, nothing is sealed.
   * @param size in bytes, exactly.
   */
  write(key: string, size: number, bytes: Readable): Promise<void>
  /**
   * Removes what interrupted writes have left. No server may use the store meanwhile. A kind of
   * store in which the next write under a key removes that lacks this method.
   */
  removeLeftParts?(): Promise<void>
  /** Closes the store. */
  close(): Promise<void>
}
