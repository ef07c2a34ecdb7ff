/**
 * Where the bytes of files are kept. The words of this room:
 * - The *port* is the interface below. A *driver* implements it: on a disk, or in a *bucket* of S3.
 * - An *object* is the bytes under one storage key. *Sealed*, it is final and durable.
 * - A *grant* is what a presigned URL allows, as data.
 * - A *write lock* is the right to change the bytes under one key, or of one part. The newest request gets it.
 * - The *ceiling* is how many transfers run at once. Past it one is refused with 503.
 * - An *orphan* is an object that neither an upload nor a file names. A *sweep* is a job that removes such.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyChecksum } from '../../shared/rules/body-checksum.ts'
import type { StorageName } from './storage-name.ts'

/** What a presigned upload URL allows: exactly these bytes, under this key, until then. */
export interface UploadGrant {
  key: string
  /** Bytes, exactly. */
  size: number
  mimeType: string
  /** The URL stops working at this moment. */
  until: Date
}

/** One part of an upload: its place in the file and exactly its bytes. */
export interface PartGrant extends UploadGrant {
  /** From 1. */
  partNumber: number
  /** Where its first byte lies in the file, in bytes. */
  offset: number
}

/** A part that storage holds whole; size in bytes. */
export interface StoredPart {
  partNumber: number
  size: number
  /** What the store's `checksum` gives of its bytes, in base64; absent where the store cannot tell. */
  checksum?: string
}

/** What a download answers with. */
export interface DownloadGrant {
  key: string
  /** Bytes. */
  size: number
  mimeType: string
  /** The cleaned name, for `Content-Disposition`. */
  fileName: string
  /** Names these bytes for ever (they never change under a key); becomes the strong ETag. */
  version: string
  createdAt: Date
  /** No presigned URL lives longer than the link: the moment the link ends. */
  until: Date
}

/** Awaited before the first byte of a GET leaves, with the offset that byte has in the file. */
export type OnBytes = (start: number) => Promise<void>

/** How the bytes of a download reach the client. */
export type Delivery =
  | { kind: 'redirect'; url: string }
  | {
      kind: 'stream'
      /**
       * Answers GET and HEAD with ranges and conditions. Resolves when the answer has ended,
       * also when the client left early; never rejects for that.
       */
      send(request: IncomingMessage, response: ServerResponse, onBytes?: OnBytes): Promise<void>
    }

/** What a download asks with; a presigned URL answers the one method that it was signed for. */
export type DownloadMethod = 'GET' | 'HEAD'

export interface StoredObject {
  key: string
  /** When its bytes last changed; of bytes that are arriving, when they began to at the earliest. */
  modifiedAt: Date
}

/**
 * The port to wherever bytes are kept. Every driver passes the whole of `storage.suite.ts`.
 * Keys are made by `newStorageKey`, never from anything a user typed.
 */
export interface Storage {
  readonly name: StorageName
  /**
   * Promises room for `bytes` that are still to arrive under a key (decision 026). False, and nothing
   * is promised, where the store would be left with less free space than it is to keep.
   */
  promiseRoom(key: string, bytes: number): Promise<boolean>
  /** An absolute URL that takes the whole file in one PUT (design: upload protocol). */
  signUpload(grant: UploadGrant): Promise<string>
  /** The checksum that a PUT may carry; a body that differs is refused and not kept. */
  readonly checksum: BodyChecksum
  /** Whether `seal` answers the SHA-256 of the bytes; not where they go past this server. */
  readonly computesSha256: boolean
  /**
   * Absolute URLs, in the order of the parts, each of which takes one part of one upload in one PUT.
   * Parts travel in any order and at once; one that is sent again replaces the earlier one. They and
   * the PUT of the whole file exclude each other: whichever is begun last counts.
   */
  signParts(parts: readonly PartGrant[]): Promise<string[]>
  /** The parts of an upload that arrived whole, by number; none when it is sealed or unknown. */
  listParts(key: string): Promise<StoredPart[]>
  /**
   * The bytes stored under a key so far, 0 for an empty file; null when there is no such object. Of
   * parts those that arrived whole count.
   */
  storedSize(key: string): Promise<number | null>
  /**
   * Makes an uploaded object final and durable: after this the bytes survive a power cut and no
   * presigned upload URL can change them. Sealing twice is a success.
   * @returns the SHA-256 of the bytes in hexadecimal; null where `computesSha256` is false.
   * @throws {SizeMismatch} when the object does not hold exactly `size` bytes.
   */
  seal(key: string, size: number): Promise<string | null>
  /**
   * How to answer a download of a sealed object that was asked for with this method. A redirect
   * leads to a URL that lives for minutes, and never longer than `grant.until`.
   */
  deliver(grant: DownloadGrant, method: DownloadMethod): Promise<Delivery>
  /** An absolute URL that answers this method (GET when none is named), with ranges, until `grant.until`. */
  signDownload(grant: DownloadGrant, method?: DownloadMethod): Promise<string>
  /**
   * Removes an object, sealed or not; URLs signed for it are worth nothing any more. A missing one
   * is a success.
   */
  remove(key: string): Promise<void>
  /** Every object, sealed or not, in no particular order. */
  list(): AsyncIterable<StoredObject>
  /** The installation that claimed this store; null before anybody did. */
  installation(): Promise<string | null>
  /** Marks the store, durably, as an installation's. */
  claim(installation: string): Promise<void>
  /**
   * The same store, whose presigned URLs stand under another origin of this server. Absent where they
   * do not lead to this server.
   */
  under?(origin: string): Storage
  /** Resolves when the store answers and can be written to; rejects otherwise. */
  check(): Promise<void>
}

/** What is stored is not what was announced. `actual` is null when nothing is stored. */
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
