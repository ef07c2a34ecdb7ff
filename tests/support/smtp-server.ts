import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** How the server handles an email. */
export type Reaction =
  | 'accept'
  | 'drop'
  /** Rejects the recipient: temporarily with 4xx, permanently with 5xx. */
  | { recipient: number }
  /** Rejects the content with this code. */
  | { content: number }
  /** Accepts the email but drops the connection before responding. */
  | 'accept-and-drop'
  /** Responds only once the test sets another reaction. */
  | 'hold'

export interface TestSmtpServer {
  /** For example smtp://127.0.0.1:41234. */
  url: string
  /** The accepted emails, parsed. */
  received: ParsedMail[]
  /** The recipients of all emails, accepted or not. */
  offered: string[]
  /** User names of login attempts, all rejected. */
  logins: string[]
  /** True for each of `offered` sent over an encrypted connection. */
  encrypted: boolean[]
  /** Returns the number of connections opened so far. */
  connections(): number
  /** Sets the reaction to all emails from now on. */
  react(reaction: Reaction): void
  /** Closes all connections and refuses new ones. */
  leave(): void
  /** Accepts connections again, on the same port. */
  comeBack(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a real SMTP server that accepts plaintext passwords, as an attacker's would.
 * @param offersTls offers STARTTLS with a self-signed certificate.
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
  // Real servers repeat the rejected address.
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
  // Expected: tests drop connections on purpose.
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
      for (const response of held) response()
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
 * `startSilentServer` closes a connection after this time, so that a client without a timeout fails
 * instead of hanging.
 */
const silentMs = 5_000

/** Accepts connections, sends nothing, and closes each after `silentMs`. */
export async function startSilentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // Expected: the client drops the connection on purpose.
    socket.on('error', () => {})
    // Node detects a closed connection only while reading.
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
