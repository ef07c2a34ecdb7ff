import type { EntryError } from '../../src/shared/contract/batch.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { type Client, expectOk, json, putBytes, type StartedUpload } from './make.ts'

export type EntryResult<Answer> =
  | { answer: Answer; error?: never }
  | { error: EntryError; answer?: never }

/** Builds the body of a request to upload ten bytes. `changes` override its fields. */
export function uploadRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    fileName: 'notes.txt',
    fileSize: 10,
    fileType: 'text/plain',
    expirationDays: '3',
    ...changes,
  }
}

export function requestUploads(person: Client, files: unknown): Promise<Response> {
  return person.post('/api/files/get-upload-urls', { files })
}

export function requestConfirms(person: Client, uploads: unknown): Promise<Response> {
  return person.post('/api/files/confirm-uploads', { uploads })
}

async function readResults<Answer>(response: Response): Promise<EntryResult<Answer>[]> {
  await expectOk(response)
  return (await json<{ results: EntryResult<Answer>[] }>(response)).results
}

export async function startUploads(
  person: Client,
  files: readonly unknown[],
): Promise<EntryResult<StartedUpload>[]> {
  return readResults(await requestUploads(person, files))
}

export async function confirmInBatch(
  person: Client,
  uploads: readonly unknown[],
): Promise<EntryResult<File>[]> {
  return readResults(await requestConfirms(person, uploads))
}

/** Returns the error code of each entry in a batch's results, or 'ok' if it succeeded. */
export function codesOf(results: readonly EntryResult<unknown>[]): string[] {
  return results.map(({ error }) => error?.code ?? 'ok')
}

export async function startAndSend(
  person: Client,
  contents: readonly Uint8Array<ArrayBuffer>[],
): Promise<StartedUpload[]> {
  const requests = contents.map(({ length }, index) =>
    uploadRequest({ fileName: `${index}.txt`, fileSize: length }),
  )
  const startedUploads = (await startUploads(person, requests)).flatMap(
    ({ answer: response }) => response ?? [],
  )
  const queue = startedUploads.entries()
  const worker = async () => {
    for (const [index, upload] of queue) {
      await expectOk(await putBytes(upload, contents[index] ?? new Uint8Array()))
    }
  }
  await Promise.all(Array.from({ length: 5 }, worker))
  return startedUploads
}
