import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** What the server does with each mail that a client wants to send. */
export type Reaction =
  | 'accept'
  | 'drop'
  /** Refuses the recipient with this code: temporarily with 4xx, permanently with 5xx. */
  | { recipient: number }
  /** Refuses the content of the mail with this code. */
  | { content: number }
  /** Accepts the mail, but cuts the connection before it answers. */
  | 'accept-and-drop'
  /** A slow server: it reads the mail, and answers only after the test sets another reaction. */
  | 'hold'

export interface TestSmtpServer {
  /** The URL, such as smtp://127.0.0.1:41234. */
  url: string
  /** The accepted mails, parsed as a mail program parses them. */
  received: ParsedMail[]
  /** The recipients of all mails, accepted or not. */
  offered: string[]
  /** From now on, treats every mail like this. */
  react(reaction: Reaction): void
  close(): Promise<void>
}

/** Starts a real SMTP server on this machine. */
export async function startSmtpServer(port = 0): Promise<TestSmtpServer> {
  let reaction: Reaction = 'accept'
  let held: (() => void)[] = []
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
        if (reaction === 'hold') {
          held.push(() => {
            received.push(mail)
            done()
          })
          return
        }
        received.push(mail)
        if (reaction === 'accept-and-drop') return dropAll()
        done()
      }, done)
    },
  })
  // A test cuts connections on purpose, so these errors are expected.
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
      if (next === 'hold') return
      for (const answer of held) answer()
      held = []
    },
    close: () =>
      new Promise((resolve) => {
        dropAll()
        server.close(() => resolve())
      }),
  }
}
