import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hangMs } from '../../../tests/support/hang.ts'
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

describe('a mail over SMTP', () => {
  it('arrives in text and in HTML, from whom and to whom it says', async () => {
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

  it('asks for answers to somebody else, where it says so', async () => {
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
    ['text that is reordered', 'Ada\u202e\u001b[31m'],
    ['no name', ''],
  ])('goes to one address, whatever the name tries: %s', async (_, name) => {
    await mailer.send(mailTo(name, 'ada@example.org', `Hello ${name}`))
    expect(server.offered).toEqual(['ada@example.org'])
    const [mail] = server.received
    expect(mail?.headers.has('bcc')).toBe(false)
    expect(JSON.stringify(mail?.to)).not.toMatch(/\u202e|\\u001b/)
    const to = [mail?.to ?? []].flat().flatMap(({ value }) => value)
    expect(to.map(({ address }) => address)).toEqual(['ada@example.org'])
  })

  it('is refused for good where the server says 5xx to its recipient or content', async () => {
    for (const refusal of [{ recipient: 550 }, { content: 554 }]) {
      server.react(refusal)
      await expect(mailer.send(mailTo('Ada', 'ada@example.org'))).rejects.toThrow(MailRefused)
    }
  })

  it('may be tried again where the server says 4xx, hangs up, or is away', async () => {
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

  it('leaves over three connections at most, which stay open', async () => {
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

describe('a mail server that falls silent', () => {
  /**
   * Sends an email. Expects that the mailer gives up by itself, before the server hangs up, and
   * that the email may be tried again.
   */
  const expectToGiveUp = async (url: string, timeouts: Parameters<typeof smtpMailer>[1]) => {
    const impatient = smtpMailer({ url, from: 'support@example.org' }, timeouts)
    try {
      const sent = impatient.send(mailTo('Ada', 'ada@example.org'))
      const error = await sent.then(String, (error: unknown) => error)
      expect(error).toMatchObject({ code: 'ETIMEDOUT' })
      expect(error).not.toBeInstanceOf(MailRefused)
    } finally {
      impatient.close()
    }
  }

  it.each([
    ['before TLS is agreed on', 'smtps', { connectionTimeoutMs: 50 }],
    ['before it greets', 'smtp', { greetingTimeoutMs: 50 }],
  ])('%s: the mail may be tried again', async (_, scheme, timeouts) => {
    const silent = await startSilentServer()
    try {
      await expectToGiveUp(`${scheme}://127.0.0.1:${silent.port}`, timeouts)
    } finally {
      await silent.close()
    }
  })

  it('after the content of a mail: the mail may be tried again', async () => {
    server.react('hold')
    // A mailer without this time-out waits for the answer, and then the email has been sent.
    const answer = setTimeout(() => server.react('accept'), hangMs)
    // On a slow machine the mailer gives up before the server has the content. Then it gets more
    // time.
    for (let socketTimeoutMs = 500; server.offered.length === 0; socketTimeoutMs *= 2) {
      await expectToGiveUp(server.url, { socketTimeoutMs })
    }
    clearTimeout(answer)
    expect(server.offered).toEqual(['ada@example.org'])
  })
})

describe('a mail server on another machine', () => {
  /** Another spelling of this machine, which the mailer takes for another machine. */
  const elsewhere = (url: string, login = '') =>
    url.replace('smtp://127.0.0.1', `smtp://${login}0.0.0.0`)

  /** Sends an email by the server of this URL. Returns the error, or null. */
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
    'that offers no TLS gets no login and no mail: %j',
    async (query) => {
      for (const login of ['', 'ada:hunter2@']) {
        const error = await sendBy(`${elsewhere(server.url, login)}${query}`)
        expect(error).toMatchObject({ code: 'ETLS' })
        expect(error).not.toBeInstanceOf(MailRefused)
      }
      expect(server).toMatchObject({ logins: [], offered: [], received: [] })
    },
  )

  it('that offers no TLS gets both where the URL says so', async () => {
    expect(await sendBy(`${elsewhere(server.url)}?requireTLS=false`)).toBeNull()
    expect(server.encrypted).toEqual([false])
    const refused = await sendBy(`${elsewhere(server.url, 'ada:hunter2@')}?requireTLS=false`)
    expect(refused).toMatchObject({ code: 'EAUTH' })
    expect(server.logins).toContain('ada')
  })

  it('that offers TLS gets mail over it alone, and none with a certificate of nobody', async () => {
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
