import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hangTimeoutMs } from '../../../tests/support/hang.ts'
import {
  startSilentServer,
  startSmtpServer,
  type TestSmtpServer,
} from '../../../tests/support/smtp-server.ts'
import { type Mailer, MailRefused } from './mailer.ts'
import { renderEmail } from './render-email.ts'
import { smtpMailer } from './smtp.ts'

let server: TestSmtpServer
let mailer: Mailer
beforeEach(async () => {
  server = await startSmtpServer()
  mailer = smtpMailer({ url: server.url, from: 'Mayfly <support@example.org>' })
})
afterEach(async () => {
  mailer.close()
  await server.close()
})

const foot = { signature: 'Mayfly\nSecure file sharing', supportEmail: 'support@example.org' }

function mailTo(name: string, address: string, subject = 'A subject') {
  const blocks = [{ kind: 'paragraph', text: 'Grüße <b>' } as const]
  const content = renderEmail({ subject, preview: 'In short', heading: 'At length', blocks }, foot)
  return { to: { name, address }, content, messageId: 'job-1@files.example.org' }
}

describe('an email over SMTP', () => {
  it('arrives as text and HTML with the right sender and recipient', async () => {
    await mailer.send(mailTo('Ada', 'ada@example.org'))
    const [mail] = server.received
    expect(mail).toMatchObject({
      subject: 'A subject',
      messageId: '<job-1@files.example.org>',
      from: { value: [{ name: 'Mayfly', address: 'support@example.org' }] },
      to: { value: [{ name: 'Ada', address: 'ada@example.org' }] },
    })
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail?.text).toContain('Grüße <b>')
    expect(mail?.html).toContain('Grüße &lt;b&gt;')
    expect(mail?.attachments).toEqual([])
  })

  it('sets the Reply-To header if given', async () => {
    const replyTo = { name: 'Eve <x@example.net>,', address: 'eve@example.org' }
    await mailer.send({ ...mailTo('Ada', 'ada@example.org'), replyTo })
    const answers = server.received[0]?.replyTo?.value.map(({ address }) => address)
    expect(answers).toEqual(['eve@example.org'])
  })

  it.each([
    ['a second header', 'Ada\r\nBcc: eve@example.net'],
    ['a second recipient', 'Ada <eve@example.net>, x'],
    ['a comment and quotes', '"Ada" (eve@example.net) \\"'],
    ['an encoded word', '=?utf-8?q?eve=40example.net?='],
    ['control characters', 'Ada\u202e\u001b[31m'],
    ['no name', ''],
  ])('goes to one address, whatever the name contains: %s', async (_, name) => {
    await mailer.send(mailTo(name, 'ada@example.org', `Hello ${name}`))
    expect(server.offered).toEqual(['ada@example.org'])
    const [mail] = server.received
    expect(mail?.headers.has('bcc')).toBe(false)
    expect(JSON.stringify(mail?.to)).not.toMatch(/\u202e|\\u001b/)
    const to = [mail?.to ?? []].flat().flatMap(({ value }) => value)
    expect(to.map(({ address }) => address)).toEqual(['ada@example.org'])
  })

  it('is permanently rejected if the server answers 5xx to its recipient or content', async () => {
    for (const refusal of [{ recipient: 550 }, { content: 554 }]) {
      server.react(refusal)
      await expect(mailer.send(mailTo('Ada', 'ada@example.org'))).rejects.toThrow(MailRefused)
    }
  })

  it('can be retried if the server answers 4xx, disconnects or is down', async () => {
    const mail = mailTo('Ada', 'ada@example.org')
    const trial = () => mailer.send(mail).then(String, (error: unknown) => error)
    for (const passing of [{ recipient: 451 }, { content: 452 }, 'drop'] as const) {
      server.react(passing)
      const error = await trial()
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(MailRefused)
    }
    await server.close()
    expect(await trial()).not.toBeInstanceOf(MailRefused)

    server = await startSmtpServer(Number(new URL(server.url).port))
    await mailer.send(mail)
    expect(server.received).toHaveLength(1)
  })

  it('uses at most three persistent connections', async () => {
    const mails = [1, 2, 3, 4, 5].map((n) => mailTo('Ada', `ada-${n}@example.org`))
    server.react('hold')
    const sent = Promise.all(mails.map((mail) => mailer.send(mail)))
    await expect.poll(() => server.offered.length).toBeGreaterThanOrEqual(3)
    server.react('accept')
    await sent
    for (const mail of mails) await mailer.send(mail)
    expect(server.received).toHaveLength(10)
    expect(server.connections()).toBe(3)
  })
})

describe('a mail server that stops responding', () => {
  /**
   * Sends an email. Asserts that the mailer times out before the server disconnects, and that the
   * email can be retried.
   */
  const expectToGiveUp = async (url: string, timeouts: Parameters<typeof smtpMailer>[1]) => {
    const smtp = smtpMailer({ url, from: 'support@example.org' }, timeouts)
    try {
      const sent = smtp.send(mailTo('Ada', 'ada@example.org'))
      const error = await sent.then(String, (error: unknown) => error)
      expect(error).toMatchObject({ code: 'ETIMEDOUT' })
      expect(error).not.toBeInstanceOf(MailRefused)
    } finally {
      smtp.close()
    }
  }

  it.each([
    ['during the TLS handshake', 'smtps', { connectionTimeoutMs: 50 }],
    ['before its greeting', 'smtp', { greetingTimeoutMs: 50 }],
  ])('%s: the email can be retried', async (_, scheme, timeouts) => {
    const silent = await startSilentServer()
    try {
      await expectToGiveUp(`${scheme}://127.0.0.1:${silent.port}`, timeouts)
    } finally {
      await silent.close()
    }
  })

  it('after the content of an email: the email can be retried', async () => {
    server.react('hold')
    // Without this timeout, the mailer would wait for the response and succeed.
    const response = setTimeout(() => server.react('accept'), hangTimeoutMs)
    // On a slow machine the mailer may time out before the server has the content, so retry with
    // more time.
    for (let socketTimeoutMs = 500; server.offered.length === 0; socketTimeoutMs *= 2) {
      await expectToGiveUp(server.url, { socketTimeoutMs })
    }
    clearTimeout(response)
    expect(server.offered).toEqual(['ada@example.org'])
  })
})

describe('a mail server on another machine', () => {
  /** Another name of this machine, which the mailer treats as remote. */
  const elsewhere = (url: string, login = '') =>
    url.replace('smtp://127.0.0.1', `smtp://${login}0.0.0.0`)

  /** Sends an email through the server at this URL. Returns the error, or null. */
  const sendBy = async (url: string): Promise<unknown> => {
    const other = smtpMailer({ url, from: 'support@example.org' })
    try {
      return await other.send(mailTo('Ada', 'ada@example.org')).then(
        () => null,
        (error: unknown) => error,
      )
    } finally {
      other.close()
    }
  }

  it.each(['', '?requireTLS=0', '?requireTLS=', '?ignoreTLS=true', '?opportunisticTLS=true'])(
    'without TLS gets neither the login nor an email: %j',
    async (query) => {
      for (const login of ['', 'ada:hunter2@']) {
        const error = await sendBy(`${elsewhere(server.url, login)}${query}`)
        expect(error).toMatchObject({ code: 'ETLS' })
        expect(error).not.toBeInstanceOf(MailRefused)
      }
      expect(server).toMatchObject({ logins: [], offered: [], received: [] })
    },
  )

  it('without TLS gets both if the URL allows it', async () => {
    expect(await sendBy(`${elsewhere(server.url)}?requireTLS=false`)).toBeNull()
    expect(server.encrypted).toEqual([false])
    const refused = await sendBy(`${elsewhere(server.url, 'ada:hunter2@')}?requireTLS=false`)
    expect(refused).toMatchObject({ code: 'EAUTH' })
    expect(server.logins).toContain('ada')
  })

  it('with TLS gets email only over TLS, and none if its certificate is untrusted', async () => {
    const encrypting = await startSmtpServer(0, { offersTls: true })
    try {
      expect(await sendBy(elsewhere(encrypting.url))).toBeInstanceOf(Error)
      expect(encrypting.offered).toEqual([])
      const trusting = `${elsewhere(encrypting.url)}?tls.rejectUnauthorized=false`
      expect(await sendBy(trusting)).toBeNull()
      expect(encrypting.encrypted).toEqual([true])
    } finally {
      await encrypting.close()
    }
  })
})
