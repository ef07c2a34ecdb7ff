import { expect } from 'vitest'
import type { File } from '../../src/shared/contract/files.ts'
import type { TestApp } from './app-server.ts'
import { type Client, json, makeClient } from './make.ts'

/**
 * Requests an upload of ten bytes. `changes` override fields in the request. Returns the response,
 * which may be an error.
 */
export function requestUpload(
  person: Client,
  changes: Record<string, unknown> = {},
): Promise<Response> {
  return person.post('/api/files/get-upload-url', {
    fileName: 'notes.txt',
    fileSize: 10,
    fileType: 'text/plain',
    expirationDays: '3',
    ...changes,
  })
}

export function requestConfirm(
  person: Client,
  cloudKey: string,
  extraFields = {},
): Promise<Response> {
  return person.post('/api/files/confirm-upload', { cloudKey, ...extraFields })
}

export function abortUpload(person: Client, cloudKey: string): Promise<Response> {
  return person.post('/api/files/abort-upload', { cloudKey })
}

export function requestParts(
  person: Client,
  cloudKey: unknown,
  partNumbers: unknown,
): Promise<Response> {
  return person.post('/api/files/upload-parts', { cloudKey, partNumbers })
}

export function requestPartList(person: Client, cloudKey: string): Promise<Response> {
  return person.fetch(`/api/files/upload-parts?cloudKey=${encodeURIComponent(cloudKey)}`)
}

/** Downloads a file as a visitor and returns the response. */
export function requestDownload(
  app: TestApp,
  shortCode: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return makeClient(app).fetch(`/api/download/${shortCode}`, { headers })
}

/** Downloads a file as a visitor and returns the bytes. */
export async function download(
  app: TestApp,
  { shortCode }: Pick<File, 'shortCode'>,
): Promise<Uint8Array> {
  const response = await requestDownload(app, shortCode)
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

export async function expectError(response: Response, status: number, code: string): Promise<void> {
  const body = await json<object>(response)
  expect({ status: response.status, ...body }).toMatchObject({ status, code })
}
