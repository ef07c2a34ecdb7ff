import type { Readable } from 'node:stream'
import type { Storage } from './storage.ts'

/**
 * Gives access to the sealed objects of a store, for code that copies all of them: a backup, a
 * restore, or a move to another store. Opening it changes no object, so a server may use the store
 * at the same time. As in `Storage`, `list` and `remove` also know objects that have not been
 * sealed, such as what an interrupted `write` has left. `read` does not.
 */
export interface SealedObjects
  extends Pick<Storage, 'name' | 'list' | 'installation' | 'claim' | 'remove'> {
  /** Opens an object. The stream gives its bytes, or fails. Returns null when there is none. */
  read(key: string): Promise<Readable | null>
  /**
   * Writes an object, and replaces any object under the same key. When this resolves, the new
   * object is sealed and survives a power cut. If the stream fails, nothing is sealed.
   * @param size the exact size in bytes.
   */
  write(key: string, size: number, bytes: Readable): Promise<void>
  /**
   * Removes what interrupted writes have left. No server may use the store at the same time. A
   * store lacks this method if its next `write` under a key removes what an interrupted one left.
   */
  removeLeftParts?(): Promise<void>
  /** Closes the store. */
  close(): Promise<void>
}
