import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hangTimeoutMs } from '../../../tests/support/hang-timeout.ts'
import {
  startSilentServer,
  startSmtpServer,
  type TestSmtpServer,
} from '../../../tests/support/smtp-server.ts'
import { type Mailer, MailRejectedError } from './mailer.ts'
import { renderEmail } from './render-email.ts'
import { createSmtpMailer } from './smtp.ts'

let server: TestSmtpServer
let mailer: Mailer
beforeEach(async () => {
  server = await startSmtpServer()
  mailer = createSmtpMailer({ url: server.url, from: 'Mayfly <support@example.org>' })
})
afterEach(async () => {
  mailer.close()
  await server.close()
})

const footer = { signature: 'Mayfly\nSecure file sharing', supportEmail: 'support@example.org' }

function makeEmail(name: string, address: string, subject = 'A subject') {
  const blocks = [{ kind: 'paragraph', text: 'Grüße <b>' } as const]
  const content = renderEmail(
    { subject, preview: 'In short', heading: 'At length', blocks },
    footer,
  )
  return { to: { name, address }, content, messageId: 'job-1@files.example.org' }
}

describe('an email over SMTP', () => {
  it('arrives as text and HTML with the right sender and recipient', async () => {
    await mailer.send(makeEmail('Ada', 'ada@example.org'))
    const [email] = server.received
    expect(email).toMatchObject({
      subject: 'A subject',
      messageId: '<job-1@files.example.org>',
      from: { value: [{ name: 'Mayfly', address: 'support@example.org' }] },
      to: { value: [{ name: 'Ada', address: 'ada@example.org' }] },
    })
    expect(email?.headers.get('auto-submitted')).toBe('auto-generated')
    expect(email?.text).toContain('Grüße <b>')
    expect(email?.html).toContain('Grüße &lt;b&gt;')
    expect(email?.attachments).toEqual([])
  })

  it('sets the Reply-To header if given', async () => {
    const replyTo = { name: 'Eve <x@example.net>,', address: 'eve@example.org' }
    await mailer.send({ ...makeEmail('Ada', 'ada@example.org'), replyTo })
    const replyAddresses = server.received[0]?.replyTo?.value.map(({ address }) => address)
    expect(replyAddresses).toEqual(['eve@example.org'])
  })

  it.each([
    ['a second header', 'Ada\r\nBcc: eve@example.net'],
    ['a second recipient', 'Ada <eve@example.net>, x'],
    ['a comment and quotes', '"Ada" (eve@example.net) \\"'],
    ['an encoded word', '=?utf-8?q?eve=40example.net?='],
    ['control characters', 'Ada\u202e\u001b[31m'],
    ['no name', ''],
  ])('goes to one address, whatever the name contains: %s', async (_, name) => {
    await mailer.send(makeEmail(name, 'ada@example.org', `Hello ${name}`))
    expect(server.attemptedRecipients).toEqual(['ada@example.org'])
    const [email] = server.received
    expect(email?.headers.has('bcc')).toBe(false)
    expect(JSON.stringify(email?.to)).not.toMatch(/\u202e|\\u001b/)
    const to = [email?.to ?? []].flat().flatMap(({ value }) => value)
    expect(to.map(({ address }) => address)).toEqual(['ada@example.org'])
  })

  it('is permanently rejected if the server replies 5xx to its recipient or content', async () => {
    for (const reply of [{ recipient: 550 }, { content: 554 }]) {
      server.setReaction(reply)
      await expect(mailer.send(makeEmail('Ada', 'ada@example.org'))).rejects.toThrow(
        MailRejectedError,
      )
    }
  })

  it('can be retried if the server replies 4xx, disconnects or is down', async () => {
    const email = makeEmail('Ada', 'ada@example.org')
    const trySend = () => mailer.send(email).then(String, (error: unknown) => error)
    for (const reaction of [{ recipient: 451 }, { content: 452 }, 'drop'] as const) {
      server.setReaction(reaction)
      const error = await trySend()
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(MailRejectedError)
    }
    await server.close()
    expect(await trySend()).not.toBeInstanceOf(MailRejectedError)

    server = await startSmtpServer(Number(new URL(server.url).port))
    await mailer.send(email)
    expect(server.received).toHaveLength(1)
  })

  it('uses at most three persistent connections', async () => {
    const emails = [1, 2, 3, 4, 5].map((n) => makeEmail('Ada', `ada-${n}@example.org`))
    server.setReaction('hold')
    const sendPromise = Promise.all(emails.map((email) => mailer.send(email)))
    await expect.poll(() => server.attemptedRecipients.length).toBeGreaterThanOrEqual(3)
    server.setReaction('accept')
    await sendPromise
    for (const email of emails) await mailer.send(email)
    expect(server.received).toHaveLength(10)
    expect(server.connections()).toBe(3)
  })
})

describe('a mail server that stops responding', () => {
  /**
   * Sends an email. Asserts that the mailer times out before the server disconnects, and that the
   * email can be retried.
   */
  const expectTimeout = async (url: string, timeouts: Parameters<typeof createSmtpMailer>[1]) => {
    const smtp = createSmtpMailer({ url, from: 'support@example.org' }, timeouts)
    try {
      const sendPromise = smtp.send(makeEmail('Ada', 'ada@example.org'))
      const error = await sendPromise.then(String, (error: unknown) => error)
      expect(error).toMatchObject({ code: 'ETIMEDOUT' })
      expect(error).not.toBeInstanceOf(MailRejectedError)
    } finally {
      smtp.close()
    }
  }

  it.each([
    ['during the TLS handshake', 'smtps', { connectionTimeoutMs: 50 }],
    ['before its greeting', 'smtp', { greetingTimeoutMs: 50 }],
  ])('%s: the email can be retried', async (_, scheme, timeouts) => {
    const silentServer = await startSilentServer()
    try {
      await expectTimeout(`${scheme}://127.0.0.1:${silentServer.port}`, timeouts)
    } finally {
      await silentServer.close()
    }
  })

  it('after the content of an email: the email can be retried', async () => {
    server.setReaction('hold')
    // If the mailer doesn't time out, the server eventually accepts the email, and the test fails.
    const acceptTimer = setTimeout(() => server.setReaction('accept'), hangTimeoutMs)
    // On a slow machine the mailer may time out before the server has the content, so retry with
    // more time.
    for (let socketTimeoutMs = 500; server.attemptedRecipients.length === 0; socketTimeoutMs *= 2) {
      await expectTimeout(server.url, { socketTimeoutMs })
    }
    clearTimeout(acceptTimer)
    expect(server.attemptedRecipients).toEqual(['ada@example.org'])
  })
})

describe('a mail server on another machine', () => {
  /** Another address of this machine, which the mailer treats as remote. */
  const toRemoteUrl = (url: string, login = '') =>
    url.replace('smtp://127.0.0.1', `smtp://${login}0.0.0.0`)

  /** Sends an email through the server at this URL. Returns the error, or null. */
  const sendThrough = async (url: string): Promise<unknown> => {
    const remoteMailer = createSmtpMailer({ url, from: 'support@example.org' })
    try {
      return await remoteMailer.send(makeEmail('Ada', 'ada@example.org')).then(
        () => null,
        (error: unknown) => error,
      )
    } finally {
      remoteMailer.close()
    }
  }

  it.each(['', '?requireTLS=0', '?requireTLS=', '?ignoreTLS=true', '?opportunisticTLS=true'])(
    'without TLS gets neither the login nor an email: %j',
    async (query) => {
      for (const login of ['', 'ada:hunter2@']) {
        const error = await sendThrough(`${toRemoteUrl(server.url, login)}${query}`)
        expect(error).toMatchObject({ code: 'ETLS' })
        expect(error).not.toBeInstanceOf(MailRejectedError)
      }
      expect(server).toMatchObject({ loginNames: [], attemptedRecipients: [], received: [] })
    },
  )

  it('without TLS gets both if the URL allows it', async () => {
    expect(await sendThrough(`${toRemoteUrl(server.url)}?requireTLS=false`)).toBeNull()
    expect(server.wasEncrypted).toEqual([false])
    const error = await sendThrough(`${toRemoteUrl(server.url, 'ada:hunter2@')}?requireTLS=false`)
    expect(error).toMatchObject({ code: 'EAUTH' })
    expect(server.loginNames).toContain('ada')
  })

  it('with TLS gets email only over TLS, and none if its certificate is untrusted', async () => {
    const tlsServer = await startSmtpServer(0, { offersTls: true })
    try {
      expect(await sendThrough(toRemoteUrl(tlsServer.url))).toBeInstanceOf(Error)
      expect(tlsServer.attemptedRecipients).toEqual([])
      const trustingUrl = `${toRemoteUrl(tlsServer.url)}?tls.rejectUnauthorized=false`
      expect(await sendThrough(trustingUrl)).toBeNull()
      expect(tlsServer.wasEncrypted).toEqual([true])
    } finally {
      await tlsServer.close()
    }
  })
})
