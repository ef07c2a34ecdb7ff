import type { Report } from '../../src/shared/contract/abuse.ts'
import { type Client, json } from './make.ts'

/** Takes down the file behind a link. Returns the answer. */
export function takeDown(
  admin: Client,
  shortCode: unknown,
  reason: unknown = 'It is malware.',
): Promise<Response> {
  return admin.post('/api/admin/takedown', { shortCode, reason })
}

/** Takes down the file behind a link. Returns the message to the administrator. */
export async function takenDown(admin: Client, shortCode: string, reason?: string) {
  const answer = await takeDown(admin, shortCode, reason)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
  return (await json<{ message: string }>(answer)).message
}

/** Reports the file behind a link. Returns the answer. */
export function report(client: Client, shortCode: string, more: object = {}): Promise<Response> {
  return client.post(`/api/links/${shortCode}/report`, { reason: 'It is malware.', ...more })
}

/** Returns the open reports, the last reported first. */
export async function listReports(admin: Client, query = ''): Promise<Report[]> {
  return json(await admin.fetch(`/api/admin/reports${query}`))
}
