import type { Link } from '../../src/shared/contract/links.ts'
import { type Client, expectOk, json, putBytes, type StartedUpload } from './make.ts'

export interface NewFile {
  name: string
  bytes: Uint8Array<ArrayBuffer>
  type?: string
}

export interface LinkOptions {
  title?: string
  message?: string
  password?: string
  maxDownloads?: number
  /** '3' by default. */
  expirationDays?: string
}

/** Starts a link with these files. Sends none of them. */
export async function startLink(
  person: Client,
  files: readonly NewFile[],
  options: LinkOptions = {},
): Promise<{ link: Link; uploads: StartedUpload[] }> {
  const response = await person.post('/api/links', {
    files: files.map(({ name, bytes, type = 'text/plain' }) => ({
      fileName: name,
      fileSize: bytes.length,
      fileType: type,
    })),
    expirationDays: '3',
    ...options,
  })
  await expectOk(response)
  return json(response)
}

/** Sends a file of a started link and confirms it. */
export async function sendFile(
  person: Client,
  upload: StartedUpload | undefined,
  { bytes, type }: NewFile,
): Promise<void> {
  if (!upload) throw new Error('Expected an upload.')
  await expectOk(await putBytes(upload, bytes, type))
  await expectOk(await person.post('/api/files/confirm-upload', { cloudKey: upload.cloudKey }))
}

/** Makes a link with these files, and returns its short code. */
export async function makeLink(
  person: Client,
  files: readonly NewFile[],
  options?: LinkOptions,
): Promise<string> {
  const { link, uploads } = await startLink(person, files, options)
  for (const [index, file] of files.entries()) await sendFile(person, uploads[index], file)
  return link.shortCode
}
