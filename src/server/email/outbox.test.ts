import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOutboxMailer } from './outbox.ts'
import { renderEmail } from './render-email.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-outbox-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

it('writes each email to a file named after its time and recipient, and logs the folder without the address', async () => {
  const folder = join(dataDir, 'outbox')
  const logLines: unknown[] = []
  const mailer = createOutboxMailer({
    folder,
    from: 'support@example.org',
    clock: () => new Date('2026-11-21T20:04:05.006Z'),
    log: { info: (line: unknown) => void logLines.push(line) } as never,
  })
  const content = renderEmail(
    { subject: 'S', preview: 'P', heading: 'H', blocks: [{ kind: 'note', text: 'A note' }] },
    { signature: 'Mayfly', supportEmail: 'support@example.org' },
  )
  await mailer.send({
    to: { name: 'Ada', address: '../ada@example.org' },
    content,
    messageId: 'job/../1@x',
  })

  const name = '2026-11-21T20-04-05-006Z-.._ada@example.org.eml'
  expect(await readdir(folder)).toEqual([name])
  const file = join(folder, name)
  expect(logLines).toEqual([{ folder, messageId: 'job/../1@x' }])
  expect((await stat(file)).mode & 0o077).toBe(0)
  const email = await simpleParser(await readFile(file))
  expect(email.subject).toBe('S')
  expect(email.text).toContain('A note')
})

it('keeps several emails to one address in the same millisecond', async () => {
  const folder = join(dataDir, 'outbox')
  const mailer = createOutboxMailer({
    folder,
    from: 'support@example.org',
    clock: () => new Date('2026-11-21T20:04:05.006Z'),
    log: { info: () => undefined } as never,
  })
  const content = { subject: 'S', text: 'T', html: 'H' }
  const to = { name: 'Ada', address: 'ada@example.org' }
  const ids = ['1@x', '2@x', '3@x']
  await Promise.all(ids.map((messageId) => mailer.send({ to, content, messageId })))

  const emails = await Promise.all(
    (await readdir(folder)).map(async (name) => simpleParser(await readFile(join(folder, name)))),
  )
  expect(emails.map(({ messageId }) => messageId).sort()).toEqual(ids.map((id) => `<${id}>`))
})
