/*
 * Storage for files' bytes, on a disk or in a bucket. An *object* is the bytes under one storage
 * key. A *sealed* object is final and durable. A *grant* describes what a presigned URL permits.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { BodyChecksum } from '../../shared/rules/files/part-plan.ts'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import type { ByteRange, Validators } from './byte-range.ts'

/** Permission to store exactly `size` bytes under a key. */
export interface UploadGrant {
  key: string
  /** The exact size in bytes. */
  size: number
  mimeType: string
  /** When the URL expires. */
  expiresAt: Date
}

/** Permission to store one part of an upload. `size` is the part's exact size. */
export interface PartGrant extends UploadGrant {
  /** Part numbers start at 1. */
  partNumber: number
  /** The part's offset in the file, in bytes. */
  offset: number
}

/** A part that storage has received completely. Its size is in bytes. */
export interface StoredPart {
  partNumber: number
  size: number
  /**
   * The part's checksum in base64, of the kind that the store's `checksum` names. Absent if the
   * store can't provide it.
   */
  checksum?: string
}

/** Permission to download an object, with the metadata for the response. */
export interface DownloadGrant {
  key: string
  /** The exact size in bytes. */
  size: number
  mimeType: string
  /** The name that browsers save the file under (`Content-Disposition`). */
  fileName: string
  /**
   * Identifies exactly these bytes. Suitable for a strong ETag, because the bytes under a key never
   * change.
   */
  version: string
  createdAt: Date
  /** When the link expires. No presigned URL outlives its link. */
  expiresAt: Date
}

/**
 * Called with the offset of the first byte before a GET sends it. Nothing is sent until the
 * returned promise resolves. If it rejects, the client gets the error instead.
 */
export type OnBytes = (start: number) => Promise<void>

/** Where `sendRange` sends bytes. */
export interface RangeTarget {
  response: ServerResponse
  /** Called with the number of bytes just written, which the kernel may still have to accept. */
  onSent(count: number): void
  /** Aborts when the client disconnects. */
  disconnected: AbortSignal
}

/** A body for `receive`. */
export interface ReceivedBody {
  request: IncomingMessage
  response: ServerResponse
  /** The client's IP address, to which limits apply. */
  clientAddress: string
  /** Called with the number of bytes before they are stored. A rejection ends the body. */
  onReceived(count: number): Promise<void>
}

/** How a download's bytes reach the client. */
export type Delivery =
  | {
      kind: 'redirect'
      url: string
      /**
       * Returns the store's validators for the object, or null if the store doesn't have it.
       * `signal` aborts the request.
       * @throws {AppError} UNAVAILABLE if the request to the store fails.
       */
      validators(signal: AbortSignal): Promise<Validators | null>
    }
  | {
      kind: 'stream'
      /**
       * Answers a GET or HEAD, including ranges and conditional headers. Resolves when the response
       * has been sent or the client has disconnected.
       */
      send(request: IncomingMessage, response: ServerResponse, onBytes?: OnBytes): Promise<void>
    }

/**
 * The HTTP method of a download. A bucket accepts a presigned URL only with the method for which it
 * was signed.
 */
export type DownloadMethod = 'GET' | 'HEAD'

/** Checksums of an object's bytes. */
export interface ObjectDigest {
  /** The SHA-256 in hex. */
  sha256: string
  /** The CRC-32 as an unsigned integer. */
  crc32: number
}

export interface StoredObject {
  key: string
  /**
   * When the object's bytes last changed. For an upload in progress, this may be when the upload
   * started, because a bucket returns no other date for it.
   */
  modifiedAt: Date
}

/**
 * Stores files' bytes on a disk or in a bucket. Every implementation must pass all tests in
 * `storage.suite.ts`. Keys come from `storage-key.ts`, never from user input.
 */
export interface Storage {
  readonly name: StorageName
  /** True if the store has space for another `bytes` bytes. Doesn't reserve the space. */
  hasSpaceFor(bytes: number): Promise<boolean>
  /**
   * Returns an absolute URL that accepts the whole file in one PUT (design §5, upload protocol).
   */
  signUpload(grant: UploadGrant): Promise<string>
  /**
   * Stores a request's body under a new key. Sends "100 Continue" if the client waits for it.
   * @returns the number of bytes received.
   * @throws {AppError} FILE_TOO_LARGE for more than `maxSize` bytes; UPLOAD_INCOMPLETE if the
   * client disconnects; STORAGE_FULL; TOO_MANY_TRANSFERS; UNAVAILABLE; any error from
   * `onReceived`. The caller must `remove` what has been stored.
   */
  receive(object: { key: string; maxSize: number }, source: ReceivedBody): Promise<number>
  /**
   * The kind of checksum that a PUT can carry. A body that doesn't match is rejected and discarded.
   */
  readonly checksum: BodyChecksum
  /**
   * Whether confirming an upload waits until the store has computed the SHA-256, if the client
   * claims one. False if the bytes are on another machine, because reading them may take longer
   * than a client waits.
   */
  readonly computesSha256: boolean
  /**
   * Returns absolute URLs in the order of the parts. Each accepts one part of an upload in one PUT.
   * Parts can be sent in any order and in parallel. A part that is sent again replaces the earlier
   * one. If a client sends both parts and the whole file, only what it sent last counts.
   */
  signParts(parts: readonly PartGrant[]): Promise<string[]>
  /**
   * Lists the parts of an upload that have been received completely, sorted by number. Empty if the
   * upload is sealed or unknown.
   */
  listParts(key: string): Promise<StoredPart[]>
  /**
   * Returns the number of bytes stored under a key so far: 0 for an empty file, null if there is no
   * such object. Incomplete parts don't count.
   */
  storedSize(key: string): Promise<number | null>
  /**
   * Makes an uploaded object final and durable. Afterwards the bytes survive a power cut, and no
   * presigned URL can change them. Sealing twice succeeds.
   * @returns the object's CRC-32, or null if the store doesn't know it and only `digest` can
   * compute it.
   * @throws {SizeMismatch} if the object doesn't have exactly `size` bytes.
   */
  seal(key: string, size: number): Promise<number | null>
  /**
   * Reads a sealed object and returns its checksums, or null if there is no such object. Can take
   * minutes for a large object.
   */
  digest(key: string): Promise<ObjectDigest | null>
  /**
   * Sends a range of a sealed object as the next bytes of a response. Resolves when they have been
   * sent or the client has disconnected.
   * @throws {AppError} LINK_NOT_FOUND if there is no such object.
   * @throws {Error} if the object ends before the range, or can't be read. Some of its bytes may
   * have been sent.
   */
  sendRange(key: string, range: ByteRange, target: RangeTarget): Promise<void>
  /**
   * Returns how to answer a download of a sealed object: with its bytes, or with a redirect to a
   * URL. The URL expires within a minute, and no later than `grant.expiresAt`.
   */
  deliver(grant: DownloadGrant, method: DownloadMethod): Promise<Delivery>
  /**
   * Removes an object, sealed or not. Its presigned URLs stop working. Succeeds if there is no such
   * object.
   */
  remove(key: string): Promise<void>
  /**
   * Makes earlier `remove` calls for these objects durable, so the removals survive a power cut.
   */
  syncRemovals(keys: readonly string[]): Promise<void>
  /**
   * Lists every object once, sealed or not, sorted by key. Reads page by page, so memory use
   * doesn't grow with the number of objects. Objects that are stored, sealed or removed during the
   * listing may be missing.
   */
  list(): AsyncIterable<StoredObject>
  /** Returns the id of the installation that the store belongs to, or null if it is unclaimed. */
  installation(): Promise<string | null>
  /** Durably records the installation that the store belongs to. */
  claim(installation: string): Promise<void>
  /**
   * Returns the same store, but with presigned URLs that begin with `origin`, another origin of
   * this server. Absent if presigned URLs don't lead to this server.
   */
  withOrigin?(origin: string): Storage
  /** Writes, reads and removes a small object. Rejects if any step fails. */
  check(): Promise<void>
  /**
   * True if the store keeps the bytes of removed objects as old versions. Absent for stores that
   * never do.
   */
  hasVersioning?(): Promise<boolean>
  /**
   * Returns the minimum difference between the store's clock and this server's, in milliseconds.
   * Absent for stores that use this server's clock.
   */
  clockDifferenceMs?(): Promise<number>
}

/**
 * A store's sealed objects, for backup and restore. A server may use the store at the same time. As
 * in `Storage`, `list` and `remove` also cover unsealed objects, such as leftovers of an
 * interrupted `write`. `read` doesn't.
 */
export interface SealedObjects
  extends Pick<Storage, 'name' | 'list' | 'installation' | 'claim' | 'remove'> {
  /**
   * Opens an object as a stream, which may fail midway. Returns null if there is no such object.
   */
  read(key: string): Promise<Readable | null>
  /**
   * Writes an object, replacing any object under the same key. Once this resolves, the new object
   * is sealed and survives a power cut. If the stream fails, nothing is sealed.
   * @param size the exact size in bytes.
   */
  write(key: string, size: number, bytes: Readable): Promise<void>
  /**
   * Like `write`, but with the bytes of a file on this machine. On a disk whose file system can
   * share blocks between files, this takes no space.
   */
  copy(key: string, size: number, path: string): Promise<void>
  /**
   * Removes leftovers of interrupted writes. No server may be using the store. Absent if the next
   * `write` under the same key removes them.
   */
  removeLeftoverParts?(): Promise<void>
  close(): Promise<void>
}

/** The stored size differs from the announced one. `actual` is null if nothing is stored. */
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
