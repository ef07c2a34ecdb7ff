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
import { confirm, download } from './upload-requests.ts'

/** An upload of 25 bytes in three parts of 10, 10 and 5, and the bytes that it is to have. */
export interface InParts extends StartedUpload {
  bytes: Uint8Array<ArrayBuffer>
}

/** Cut as another rule would cut it: what counts is how it was cut when it was started. */
export async function startInParts({ deps }: TestApp, person: Person): Promise<InParts> {
  const bytes = new Uint8Array(randomBytes(25))
  const started = await startUpload(person, { size: bytes.length })
  await deps.db
    .update(uploads)
    .set({ partSize: 10 })
    .where(eq(uploads.storageKey, started.cloudKey))
  return { ...started, bytes }
}

/** The bytes of one part. */
export function pieceOf({ bytes }: InParts, partNumber: number): Uint8Array<ArrayBuffer> {
  return bytes.subarray((partNumber - 1) * 10, partNumber * 10)
}

/** What is listed of a part that holds these bytes. */
export function listed(partNumber: number, bytes: Uint8Array): ListedPart {
  return {
    partNumber,
    size: bytes.length,
    checksum: checksums.crc32(bytes),
  }
}

/** What is listed of the 25 bytes when they are one file already. */
export const allWithoutChecksums: ListedPart[] = [
  { partNumber: 1, size: 10 },
  { partNumber: 2, size: 10 },
  { partNumber: 3, size: 5 },
]

export function putPart(url: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(url, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body })
}

/** Signs and sends these parts, all at once. */
export async function sendParts(
  person: Person,
  upload: InParts,
  partNumbers: number[],
): Promise<void> {
  if (partNumbers.length === 0) return
  const urls = await signParts(person, upload.cloudKey, partNumbers)
  const answers = await Promise.all(
    urls.map((url, at) => putPart(url, pieceOf(upload, partNumbers[at] ?? 0))),
  )
  expect(answers.map(({ status }) => status)).toEqual(partNumbers.map(() => 200))
}

/** An upload whose parts are all there. */
export async function sendAll(app: TestApp, person: Person): Promise<InParts> {
  const upload = await startInParts(app, person)
  await sendParts(person, upload, [3, 1, 2])
  return upload
}

/** What is lost may not be missing, and what was refused may not have been stored. */
export async function expectGoesOn(app: TestApp, person: Person, upload: InParts): Promise<void> {
  const held = (await listParts(person, upload.cloudKey)).map(({ partNumber }) => partNumber)
  await sendParts(
    person,
    upload,
    [1, 2, 3].filter((partNumber) => !held.includes(partNumber)),
  )
  const confirmed = await confirm(person, upload.cloudKey)
  expect(confirmed.status).toBe(200)
  expect(await download(app, await json<File>(confirmed))).toEqual(upload.bytes)
}

/** Everything the disk holds under a key, whatever it is called. */
export async function onDisk({ deps }: TestApp, cloudKey: string): Promise<string[]> {
  const all = await readdir(deps.config.dataDir, { recursive: true })
  return all.filter((path) => path.includes(cloudKey))
}
