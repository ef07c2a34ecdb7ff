/*
 * Where the bytes of files are kept: on a disk, or in a bucket. An *object* is the bytes under one
 * storage key. A *sealed* object is final and durable. A *grant* says what a presigned URL allows.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { BodyChecksum } from '../../shared/rules/files/part-plan.ts'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { AppError } from '../errors.ts'
import type { Validators } from './byte-range.ts'

/** What a presigned URL for an upload allows: to store exactly `size` bytes under this key. */
export interface UploadGrant {
  key: string
  /** The exact size in bytes. */
  size: number
  mimeType: string
  /** The URL stops working at this moment. */
  until: Date
}

/** One part of an upload: where it begins in the file, and its exact size. */
export interface PartGrant extends UploadGrant {
  /** Counted from 1. */
  partNumber: number
  /** How many bytes of the file come before this part. */
  offset: number
}

/** A part that storage holds completely. Its size is in bytes. */
export interface StoredPart {
  partNumber: number
  size: number
  /**
   * The part's checksum in base64, of the kind that the store's `checksum` names. Absent where the
   * store cannot tell it.
   */
  checksum?: string
}

/** What a download needs for its answer. */
export interface DownloadGrant {
  key: string
  /** The exact size in bytes. */
  size: number
  mimeType: string
  /** The name under which browsers save the file, for `Content-Disposition`. */
  fileName: string
  /**
   * Identifies exactly these bytes. A strong ETag can be made from it, because bytes never change
   * under a key.
   */
  version: string
  createdAt: Date
  /** When the link ends. No presigned URL lives longer than the link. */
  until: Date
}

/**
 * Is called before the first byte of a GET is sent, with the offset of that byte in the file. No
 * byte is sent before the returned promise resolves.
 */
export type OnBytes = (start: number) => Promise<void>

/** How the bytes of a download reach the client. */
export type Delivery =
  | {
      kind: 'redirect'
      url: string
      /**
       * Asks the store by what it identifies the bytes; null when it has no such object. `signal`
       * ends the question.
       * @throws {AppError} UNAVAILABLE when the store does not answer as it should.
       */
      validators(signal: AbortSignal): Promise<Validators | null>
    }
  | {
      kind: 'stream'
      /**
       * Answers GET and HEAD, with ranges and conditional headers. Resolves when the answer has
       * been sent, or when the client has left.
       */
      send(request: IncomingMessage, response: ServerResponse, onBytes?: OnBytes): Promise<void>
    }

/**
 * The method of a download. A bucket accepts a presigned URL only with the method that it was
 * signed for.
 */
export type DownloadMethod = 'GET' | 'HEAD'

export interface StoredObject {
  key: string
  /**
   * When the object's bytes last changed. While the bytes still arrive, it may be the start of the
   * upload instead, because that is all that a bucket tells of an upload that is not complete.
   */
  modifiedAt: Date
}

/**
 * What keeps the bytes of files: a disk, or a bucket. Every implementation passes the whole of
 * `storage.suite.ts`. Keys come from `storage-key.ts`, never from text that a user typed.
 */
export interface Storage {
  readonly name: StorageName
  /** Tells whether the store has space for `bytes` more. It reserves nothing. */
  hasSpaceFor(bytes: number): Promise<boolean>
  /** Returns an absolute URL that takes the whole file in one PUT (design §5, upload protocol). */
  signUpload(grant: UploadGrant): Promise<string>
  /** The checksum that a PUT may carry. A body that does not match is refused and not kept. */
  readonly checksum: BodyChecksum
  /**
   * Whether a confirm waits for the SHA-256 where the client claims one. False where the bytes are
   * on another machine, because reading them may take longer than a client waits.
   */
  readonly computesSha256: boolean
  /**
   * Returns absolute URLs in the order of the parts. Each takes one part of one upload in one PUT.
   * Parts may be sent in any order and in parallel. A part that is sent again replaces the earlier
   * one. If a client sends both parts and the whole file, only what it sent last counts.
   */
  signParts(parts: readonly PartGrant[]): Promise<string[]>
  /**
   * Lists the parts of an upload that arrived completely, in the order of their numbers. The list
   * is empty when the upload is sealed or unknown.
   */
  listParts(key: string): Promise<StoredPart[]>
  /**
   * Returns how many bytes are stored under a key so far: 0 for an empty file, null when there is
   * no such object. Only parts that arrived completely count.
   */
  storedSize(key: string): Promise<number | null>
  /**
   * Makes an uploaded object final and durable. After this the bytes survive a power cut, and no
   * presigned URL for uploads can change them. Sealing twice succeeds.
   * @throws {SizeMismatch} when the object does not hold exactly `size` bytes.
   */
  seal(key: string, size: number): Promise<void>
  /**
   * Reads a sealed object and returns its SHA-256 in hexadecimal, or null when there is no such
   * object. A large object can take minutes.
   */
  sha256(key: string): Promise<string | null>
  /**
   * Returns how to answer a download of a sealed object: with the bytes, or with a redirect to a
   * URL that lives for a minute at most, and never longer than `grant.until`.
   */
  deliver(grant: DownloadGrant, method: DownloadMethod): Promise<Delivery>
  /**
   * Returns an absolute URL that answers this method (GET by default), also with ranges, until
   * `grant.until`.
   */
  signDownload(grant: DownloadGrant, method?: DownloadMethod): Promise<string>
  /**
   * Removes an object, sealed or not. URLs that were signed for it stop working. Removing an object
   * that does not exist succeeds.
   */
  remove(key: string): Promise<void>
  /**
   * Makes earlier calls of `remove` for these objects durable: when this resolves, the removals
   * survive a power cut.
   */
  syncRemovals(keys: readonly string[]): Promise<void>
  /**
   * Lists every object, sealed or not, each once, in the order of the keys' characters. It reads
   * page by page, so the memory does not grow with the number of objects. An object that is stored,
   * sealed or removed meanwhile may be missing in the list.
   */
  list(): AsyncIterable<StoredObject>
  /**
   * Returns the id of the installation that this store belongs to, or null if it belongs to none
   * yet.
   */
  installation(): Promise<string | null>
  /** Records, durably, that the store belongs to an installation. */
  claim(installation: string): Promise<void>
  /**
   * Returns the same store, but its presigned URLs begin with `origin`, another origin of this
   * server. Absent where presigned URLs do not lead to this server.
   */
  under?(origin: string): Storage
  /** Writes, reads and removes a small object. Rejects if the store fails at any of the three. */
  check(): Promise<void>
  /**
   * Tells whether the store keeps the bytes of removed objects as old versions. A kind of store
   * that never does so lacks this method.
   */
  keepsOldVersions?(): Promise<boolean>
  /**
   * Returns by how many milliseconds the store's clock and this server's clock differ at least. A
   * store without a clock of its own lacks this method.
   */
  clockDifferenceMs?(): Promise<number>
}

/**
 * The sealed objects of a store, for backup and restore. A server may use the store at the same
 * time. As in `Storage`, `list` and `remove` include objects that are not sealed, such as what an
 * interrupted `write` has left. `read` doesn't.
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

/** The store did not answer in time. Another request to it would probably wait as long. */
export class StoreTimeout extends AppError {
  constructor(cause: unknown) {
    super('UNAVAILABLE', { cause })
  }
}

/** The stored size is not the announced one. `actual` is null when no bytes are stored. */
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
