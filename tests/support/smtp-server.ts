import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** What the server does with each email that a client wants to send. */
export type Reaction =
  | 'accept'
  | 'drop'
  /** Refuses the recipient with this code: temporarily with 4xx, permanently with 5xx. */
  | { recipient: number }
  /** Refuses the content of the email with this code. */
  | { content: number }
  /** Accepts the email, but cuts the connection before it answers. */
  | 'accept-and-drop'
  /** A slow server: it reads the email, and answers only after the test sets another reaction. */
  | 'hold'

export interface TestSmtpServer {
  /** The URL, such as smtp://127.0.0.1:41234. */
  url: string
  /** The accepted emails, parsed as a mail program parses them. */
  received: ParsedMail[]
  /** The recipients of all emails, accepted or not. */
  offered: string[]
  /** The names with which clients tried to sign in. Each login is refused. */
  logins: string[]
  /** For each recipient in `offered`, whether the connection was encrypted. */
  encrypted: boolean[]
  /** How many connections were opened so far. */
  connections(): number
  /** From now on, treats every email like this. */
  react(reaction: Reaction): void
  /** Ends all connections and refuses new ones. */
  leave(): void
  /** Takes connections again, on the same port. */
  comeBack(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a real SMTP server on this machine. It lets clients send a password over an unencrypted
 * connection, as an attacker's server would.
 * @param offersTls whether it offers STARTTLS, with a certificate that no authority has signed.
 */
export async function startSmtpServer(
  port = 0,
  { offersTls = false } = {},
): Promise<TestSmtpServer> {
  let reaction: Reaction = 'accept'
  let held: (() => void)[] = []
  const received: ParsedMail[] = []
  const offered: string[] = []
  const logins: string[] = []
  const encrypted: boolean[] = []
  let connections = 0
  // The message contains the address, because real servers also repeat the address that they
  // refuse.
  const refusal = (code: number, address = '') =>
    Object.assign(new Error(`Refused <${address}>`), { responseCode: code })
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: offersTls ? [] : ['STARTTLS'],
    onAuth({ username = '' }, _session, done) {
      logins.push(username)
      done(refusal(535))
    },
    onConnect(_session, done) {
      connections += 1
      done()
    },
    onRcptTo({ address }, session, done) {
      offered.push(address)
      encrypted.push(session.secure)
      if (reaction === 'drop') return dropAll()
      if (typeof reaction === 'object' && 'recipient' in reaction) {
        return done(refusal(reaction.recipient, address))
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
  const dropAll = (): void => {
    for (const connection of server.connections) connection.close()
  }
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const { port: listensOn } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${listensOn}`,
    received,
    offered,
    logins,
    encrypted,
    connections: () => connections,
    react(next) {
      reaction = next
      if (next === 'hold') return
      for (const answer of held) answer()
      held = []
    },
    leave() {
      dropAll()
      server.server.close()
    },
    async comeBack() {
      server.server.listen(listensOn, '127.0.0.1')
      await once(server.server, 'listening')
    },
    close: () =>
      new Promise((resolve) => {
        dropAll()
        server.close(() => resolve())
      }),
  }
}

/**
 * `startSilentServer` closes a connection after this time. So a client that has no timeout of its
 * own fails and does not wait for ever.
 */
const silentMs = 5_000

/**
 * Starts a server that accepts connections, sends nothing, and closes each one after `silentMs`.
 */
export async function startSilentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // The client cuts the connection on purpose, so errors are expected.
    socket.on('error', () => {})
    // Node notices the end of a connection only while something reads from it.
    socket.resume()
    socket.setTimeout(silentMs, () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
