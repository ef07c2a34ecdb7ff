import type { Email } from '../../src/server/email/mailer.ts'
import { expectOk, makePerson, type Person } from './make.ts'
import type { TestApp } from './test-app.ts'

/** Signs up a person who may send links by email, and discards the emails of the signup. */
export async function makeSender(app: TestApp): Promise<Person> {
  const sender = await makePerson(app, { tier: 'premium', emailVerified: true })
  await app.sendQueuedEmails()
  return sender
}

/** Requests that a link be sent. Returns the response. */
export function requestSending(
  sender: Pick<Person, 'post'>,
  code: string,
  to: unknown,
  message?: unknown,
): Promise<Response> {
  return sender.post(`/api/links/${code}/send`, { to, message })
}

/** Sends a link, and returns the emails. */
export async function sendLink(
  app: TestApp,
  sender: Person,
  code: string,
  to: readonly string[],
  message?: string,
): Promise<Email[]> {
  await expectOk(await requestSending(sender, code, to, message))
  return app.sendQueuedEmails()
}

/** Returns `count` different addresses. */
export function makeAddresses(count: number, domain = 'example.org'): string[] {
  return Array.from({ length: count }, (_, index) => `person-${index}@${domain}`)
}

/** Returns the path of the page in an email that stops such emails. */
export function findOptOutPath(email: Email | undefined): string {
  return new URL(email?.unsubscribeUrl ?? '').pathname
}
