import type { Client } from './make.ts'
import { flatPng } from './pictures.ts'

/** Saves somebody's brand, with a wide logo. */
export async function saveBrand(
  person: Client,
  body: { name: string; accent: string; message: string },
): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const logo = new Uint8Array(await flatPng({ width: 400, height: 90 }))
  const answers = [
    await person.fetch('/api/branding', { method: 'PUT', headers, body: JSON.stringify(body) }),
    await person.fetch('/api/branding/logo', { method: 'PUT', body: logo }),
  ]
  for (const answer of answers) if (!answer.ok) throw new Error(await answer.text())
}
