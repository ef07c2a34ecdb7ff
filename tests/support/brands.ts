import { randomBytes } from 'node:crypto'
import { branding } from '../../src/server/db/schema.ts'
import type { Brand } from '../../src/shared/contract/branding.ts'
import type { TestApp } from './app-server.ts'
import { type Client, json, type Person } from './make.ts'
import { makeSolidPng } from './pictures.ts'

export function putBrand(person: Client, body: unknown): Promise<Response> {
  return person.fetch('/api/branding', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

export function putLogo(person: Client, bytes: Uint8Array): Promise<Response> {
  const body = new Uint8Array(bytes)
  return person.fetch('/api/branding/logo', {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body,
  })
}

/** Stores a logo in the database without converting it, and returns its URL. */
export async function storeLogo(app: TestApp, { id: ownerId }: Person): Promise<string> {
  const logoKey = randomBytes(16).toString('hex')
  const logo = { logo: Buffer.from('a PNG'), logoKey, logoWidth: 1, logoHeight: 1 }
  await app.deps.db
    .insert(branding)
    .values({ ownerId, ...logo, updatedAt: app.clock() })
    .onConflictDoUpdate({ target: branding.ownerId, set: logo })
  return `${app.url}/api/branding/logo/${logoKey}`
}

export async function getBrand(person: Client): Promise<Brand | null> {
  return json<Brand | null>(await person.fetch('/api/branding'))
}

export async function readError(response: Response) {
  const { code, message } = await json<{ code: string; message: string }>(response)
  return { status: response.status, code, message }
}

export async function saveBrand(
  person: Client,
  brand: { name: string; accent: string; message: string },
): Promise<void> {
  const logo = await makeSolidPng({ width: 400, height: 90 })
  const responses = [await putBrand(person, brand), await putLogo(person, logo)]
  for (const response of responses) if (!response.ok) throw new Error(await response.text())
}
