import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** How the server reacts to an email. */
export type Reaction =
  | 'accept'
  | 'drop'
  /**
   * Rejects the recipient with this code. A 4xx code is a temporary error, a 5xx code a permanent
   * one.
   */
  | { recipient: number }
  | { content: number }
  /** Accepts the email but drops the connection instead of responding. */
  | 'accept-and-drop'
  /** Doesn't respond until the test sets another reaction. */
  | 'hold'

export interface TestSmtpServer {
  /** The server's URL, such as smtp://127.0.0.1:41234. */
  url: string
  /** The emails accepted so far, parsed. */
  received: ParsedMail[]
  /** The recipients of all emails, including emails that were rejected. */
  attemptedRecipients: string[]
  /** The user names sent in login attempts. Every login is rejected. */
  loginNames: string[]
  /** For each entry in `attemptedRecipients`, true if the connection was encrypted. */
  wasEncrypted: boolean[]
  /** Returns how many connections have been opened so far. */
  connections(): number
  /** Sets how the server reacts to every email from now on. */
  setReaction(reaction: Reaction): void
  /** Closes all connections and refuses new ones. */
  goOffline(): void
  /** Accepts connections again, on the same port. */
  goOnline(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a real SMTP server. Like an attacker's, it accepts passwords over unencrypted connections.
 * @param offersTls offers STARTTLS with a self-signed certificate.
 */
export async function startSmtpServer(
  port = 0,
  { offersTls = false } = {},
): Promise<TestSmtpServer> {
  let reaction: Reaction = 'accept'
  let heldResponses: (() => void)[] = []
  const received: ParsedMail[] = []
  const attemptedRecipients: string[] = []
  const loginNames: string[] = []
  const wasEncrypted: boolean[] = []
  let connectionCount = 0
  // Repeat the rejected address in the error message, as real servers do.
  const rejection = (code: number, address = '') =>
    Object.assign(new Error(`Refused <${address}>`), { responseCode: code })
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: offersTls ? [] : ['STARTTLS'],
    onAuth({ username = '' }, _session, done) {
      loginNames.push(username)
      done(rejection(535))
    },
    onConnect(_session, done) {
      connectionCount += 1
      done()
    },
    onRcptTo({ address }, session, done) {
      attemptedRecipients.push(address)
      wasEncrypted.push(session.secure)
      if (reaction === 'drop') return dropConnections()
      if (typeof reaction === 'object' && 'recipient' in reaction) {
        return done(rejection(reaction.recipient, address))
      }
      done()
    },
    onData(stream, _session, done) {
      simpleParser(stream).then((email) => {
        if (typeof reaction === 'object' && 'content' in reaction) {
          return done(rejection(reaction.content))
        }
        if (reaction === 'hold') {
          heldResponses.push(() => {
            received.push(email)
            done()
          })
          return
        }
        received.push(email)
        if (reaction === 'accept-and-drop') return dropConnections()
        done()
      }, done)
    },
  })
  // Ignore errors, because tests drop connections on purpose.
  server.on('error', () => {})
  const dropConnections = (): void => {
    for (const connection of server.connections) connection.close()
  }
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const { port: boundPort } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${boundPort}`,
    received,
    attemptedRecipients,
    loginNames,
    wasEncrypted,
    connections: () => connectionCount,
    setReaction(newReaction) {
      reaction = newReaction
      if (newReaction === 'hold') return
      for (const sendResponse of heldResponses) sendResponse()
      heldResponses = []
    },
    goOffline() {
      dropConnections()
      server.server.close()
    },
    async goOnline() {
      server.server.listen(boundPort, '127.0.0.1')
      await once(server.server, 'listening')
    },
    close: () =>
      new Promise((resolve) => {
        dropConnections()
        server.close(() => resolve())
      }),
  }
}

/**
 * How long `startSilentServer` keeps a connection open. A test of a client that has no timeout then
 * fails instead of hanging.
 */
const silentTimeoutMs = 5_000

/**
 * Starts a server that accepts connections but sends nothing, and closes each one after
 * `silentTimeoutMs`.
 */
export async function startSilentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // Ignore errors, because the client drops the connection on purpose.
    socket.on('error', () => {})
    // Node notices that the other side has closed a connection only if it reads from it.
    socket.resume()
    socket.setTimeout(silentTimeoutMs, () => socket.destroy())
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
