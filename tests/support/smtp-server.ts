import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** What a server does with each mail that is offered to it. */
export type Reaction =
  | 'accept'
  | 'drop'
  /** Refuses the recipient with this code: 4xx for now, 5xx for good. */
  | { recipient: number }
  /** Refuses the content with this code. */
  | { content: number }
  /** Takes the mail, and the connection is lost before it says so. */
  | 'accept-and-drop'

export interface TestSmtpServer {
  /** `smtp://127.0.0.1:port` */
  url: string
  /** The mails that were taken, as a mail program reads them. */
  received: ParsedMail[]
  /** The addresses that mails were offered for, taken or not. */
  offered: string[]
  /** From now on. */
  react(reaction: Reaction): void
  close(): Promise<void>
}

/** A real SMTP server on this machine. */
export async function startSmtpServer(port = 0): Promise<TestSmtpServer> {
  let reaction: Reaction = 'accept'
  const received: ParsedMail[] = []
  const offered: string[] = []
  const refusal = (code: number) => Object.assign(new Error('Refused'), { responseCode: code })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      offered.push(address)
      if (reaction === 'drop') return dropAll()
      if (typeof reaction === 'object' && 'recipient' in reaction) {
        return done(refusal(reaction.recipient))
      }
      done()
    },
    onData(stream, _session, done) {
      simpleParser(stream).then((mail) => {
        if (typeof reaction === 'object' && 'content' in reaction) {
          return done(refusal(reaction.content))
        }
        received.push(mail)
        if (reaction === 'accept-and-drop') return dropAll()
        done()
      }, done)
    },
  })
  // A connection that a test cuts is no news.
  server.on('error', () => {})
  function dropAll(): void {
    for (const connection of server.connections) connection.close()
  }
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    offered,
    react(next) {
      reaction = next
    },
    close: () =>
      new Promise((resolve) => {
        dropAll()
        server.close(() => resolve())
      }),
  }
}
