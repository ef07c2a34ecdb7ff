import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { uploads } from '../../src/server/db/schema.ts'
import type { File } from '../../src/shared/contract/files.ts'
import type { TestApp } from './app-server.ts'
import {
  checksums,
  json,
  type ListedPart,
  listParts,
  type Person,
  type StartedUpload,
  signParts,
  startUpload,
} from './make.ts'
import { download, requestConfirm } from './upload-requests.ts'

/** A multipart upload of 25 bytes, in parts of 10, 10 and 5 bytes. */
export interface SmallMultipartUpload extends StartedUpload {
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Starts an upload with parts smaller than the server's current part size. The server must keep the
 * size with which the upload started.
 */
export async function startMultipartUpload(
  { deps }: TestApp,
  person: Person,
): Promise<SmallMultipartUpload> {
  const bytes = new Uint8Array(randomBytes(25))
  const startedUpload = await startUpload(person, { size: bytes.length })
  await deps.db
    .update(uploads)
    .set({ partSize: 10 })
    .where(eq(uploads.storageKey, startedUpload.cloudKey))
  return { ...startedUpload, bytes }
}

export function partBytes(
  { bytes }: SmallMultipartUpload,
  partNumber: number,
): Uint8Array<ArrayBuffer> {
  return bytes.subarray((partNumber - 1) * 10, partNumber * 10)
}

/** Returns the entry that a part with these bytes must have in the list of parts. */
export function listedPart(partNumber: number, bytes: Uint8Array): ListedPart {
  return {
    partNumber,
    size: bytes.length,
    checksum: checksums.crc32(bytes),
  }
}

/** The list of parts expected once all 25 bytes are stored in a single file. */
export const partsWithoutChecksums: ListedPart[] = [
  { partNumber: 1, size: 10 },
  { partNumber: 2, size: 10 },
  { partNumber: 3, size: 5 },
]

export function putPart(url: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(url, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body })
}

/** Requests URLs for these parts and sends all of them in parallel. */
export async function sendParts(
  person: Person,
  upload: SmallMultipartUpload,
  partNumbers: number[],
): Promise<void> {
  if (partNumbers.length === 0) return
  const urls = await signParts(person, upload.cloudKey, partNumbers)
  const responses = await Promise.all(
    urls.map((url, index) => putPart(url, partBytes(upload, partNumbers[index] ?? 0))),
  )
  expect(responses.map(({ status }) => status)).toEqual(partNumbers.map(() => 200))
}

export async function sendAllParts(app: TestApp, person: Person): Promise<SmallMultipartUpload> {
  const upload = await startMultipartUpload(app, person)
  await sendParts(person, upload, [3, 1, 2])
  return upload
}

/**
 * Sends the parts that aren't in the list of parts, confirms the upload and asserts that the file
 * is intact. This proves that every part in the list was stored correctly.
 */
export async function expectResumable(
  app: TestApp,
  person: Person,
  upload: SmallMultipartUpload,
): Promise<void> {
  const storedPartNumbers = (await listParts(person, upload.cloudKey)).map(
    ({ partNumber }) => partNumber,
  )
  await sendParts(
    person,
    upload,
    [1, 2, 3].filter((partNumber) => !storedPartNumbers.includes(partNumber)),
  )
  const confirmResponse = await requestConfirm(person, upload.cloudKey)
  expect(confirmResponse.status).toBe(200)
  expect(await download(app, await json<File>(confirmResponse))).toEqual(upload.bytes)
}

/** Returns all paths in the data directory that contain this storage key. */
export async function pathsOnDisk({ deps }: TestApp, cloudKey: string): Promise<string[]> {
  const paths = await readdir(deps.config.dataDir, { recursive: true })
  return paths.filter((path) => path.includes(cloudKey))
}
