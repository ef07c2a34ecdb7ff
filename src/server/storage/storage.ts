/**
 * Where the bytes of files are kept. The words of this room:
 * - The *port* is the interface below. A *driver* implements it: on a disk, or in a *bucket* of S3.
 * - An *object* is the bytes under one storage key. A *sealed* object is final and durable.
 * - A *grant* is what a presigned URL allows, as data.
 * - A *write lock* is the right to change the bytes under one key, or those of one part. The newest
 *   request gets it.
 * - The *ceiling* is how many transfers may run at once. A request beyond it is refused with 503.
 * - An *orphan* is an object that neither an upload nor a file names. A *sweep* is a job that
 *   removes abandoned uploads or orphans.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyChecksum } from '../../shared/rules/body-checksum.ts'
import type { StorageName } from './storage-name.ts'

/** What a presigned upload URL allows: exactly these bytes under this key, until a moment. */
export interface UploadGrant {
  key: string
  /** The exact size in bytes. */
  size: number
  mimeType: string
  /** The URL stops working at this moment. */
  until: Date
}

/** One part of an upload: its place in the file and its exact size. */
export interface PartGrant extends UploadGrant {
  /** Counted from 1. */
  partNumber: number
  /** The offset of its first byte in the file, in bytes. */
  offset: number
}

/** A part that storage holds completely. Its size is in bytes. */
export interface StoredPart {
  partNumber: number
  size: number
  /**
   * The part's checksum of the store's `checksum` kind, in base64; absent where the store cannot
   * tell it.
   */
  checksum?: string
}

/** What a download needs for its answer. */
export interface DownloadGrant {
  key: string
  /** In bytes. */
  size: number
  mimeType: string
  /** The cleaned name, for `Content-Disposition`. */
  fileName: string
  /**
   * Identifies these bytes for ever, since they never change under a key. It becomes the strong
   * ETag.
   */
  version: string
  createdAt: Date
  /** The moment the link ends. No presigned URL lives longer than the link. */
  until: Date
}

/**
 * Called before the first byte of a GET is sent, with that byte's offset in the file. The answer
 * waits for it.
 */
export type OnBytes = (start: number) => Promise<void>

/** How the bytes of a download reach the client. */
export type Delivery =
  | { kind: 'redirect'; url: string }
  | {
      kind: 'stream'
      /**
       * Answers GET and HEAD with ranges and conditions. Resolves when the answer has ended. If the
       * client leaves early, it resolves too.
       */
      send(request: IncomingMessage, response: ServerResponse, onBytes?: OnBytes): Promise<void>
    }

/** The method of a download. A presigned URL works only with the method that it was signed for. */
export type DownloadMethod = 'GET' | 'HEAD'

export interface StoredObject {
  key: string
  /**
   * When the object's bytes last changed. For an object that is arriving, this may be as early as
   * its start.
   */
  modifiedAt: Date
}

/**
 * The port to the place where bytes are kept. Every driver passes the whole of `storage.suite.ts`.
 * Keys come from `newStorageKey`, never from text that a user typed.
 */
export interface Storage {
  readonly name: StorageName
  /**
   * Promises room for `bytes` that are still to arrive under a key (decision 026). Returns false,
   * and promises nothing, where the store would then have less free space than it must keep.
   */
  promiseRoom(key: string, bytes: number): Promise<boolean>
  /** Returns an absolute URL that takes the whole file in one PUT (design §5, upload protocol). */
  signUpload(grant: UploadGrant): Promise<string>
  /** The checksum that a PUT may carry. A body that does not match is refused and not kept. */
  readonly checksum: BodyChecksum
  /** Whether `seal` returns the SHA-256 of the bytes. False where the bytes bypass this server. */
  readonly computesSha256: boolean
  /**
   * Returns absolute URLs in the order of the parts. Each takes one part of one upload in one PUT.
   * Parts may be sent in any order and at once; a part that is sent again replaces the earlier one.
   * Parts and the PUT of the whole file exclude each other: the one begun last counts.
   */
  signParts(parts: readonly PartGrant[]): Promise<string[]>
  /**
   * Lists the parts of an upload that arrived completely, by number; none when the upload is sealed
   * or unknown.
   */
  listParts(key: string): Promise<StoredPart[]>
  /**
   * Returns the bytes stored under a key so far, 0 for an empty file, or null when there is no such
   * object. Only parts that arrived completely count.
   */
  storedSize(key: string): Promise<number | null>
  /**
   * Makes an uploaded object final and durable: after this the bytes survive a power cut and no
   * presigned upload URL can change them. Sealing twice succeeds.
   * @returns the SHA-256 of the bytes in hexadecimal; null where `computesSha256` is false.
   * @throws {SizeMismatch} when the object does not hold exactly `size` bytes.
   */
  seal(key: string, size: number): Promise<string | null>
  /**
   * Returns how to answer a download of a sealed object with this method. A redirect leads to a URL
   * that lives for a minute at most, and never longer than `grant.until`.
   */
  deliver(grant: DownloadGrant, method: DownloadMethod): Promise<Delivery>
  /**
   * Returns an absolute URL that answers this method (GET by default), with ranges, until
   * `grant.until`.
   */
  signDownload(grant: DownloadGrant, method?: DownloadMethod): Promise<string>
  /**
   * Removes an object, sealed or not. URLs signed for it stop working. Removing a missing object
   * succeeds.
   */
  remove(key: string): Promise<void>
  /** Lists every object, sealed or not, in no particular order. */
  list(): AsyncIterable<StoredObject>
  /** Returns the installation that claimed this store, or null before any has. */
  installation(): Promise<string | null>
  /** Marks the store, durably, as the property of an installation. */
  claim(installation: string): Promise<void>
  /**
   * Returns the same store with presigned URLs under another origin of this server. Absent where
   * URLs do not lead to this server.
   */
  under?(origin: string): Storage
  /** Resolves when the store answers and can be written to; rejects otherwise. */
  check(): Promise<void>
}

/**
 * Says that the stored size is not the announced one. `actual` is null when no bytes are stored.
 */
export class SizeMismatch extends Error {
  readonly expected: number
  readonly actual: number | null

  constructor(expected: number, actual: number | null) {
    super(`expected ${expected} bytes, found ${actual ?? 'none'}`)
    this.name = 'SizeMismatch'
    this.expected = expected
    this.actual = actual
  }
}
