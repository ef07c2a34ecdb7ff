import { promisify } from 'node:util'
import { Hono } from 'hono'
import { AppError } from '../../src/server/errors.ts'
import { type ConnectionLimits, connectionLimits } from '../../src/server/http/connection-limits.ts'
import type { HttpEnv } from '../../src/server/http/env.ts'
import { answerError } from '../../src/server/http/error-handler.ts'
import { listen } from '../../src/server/http/listen.ts'

/** A real server that holds nothing but what a test gives it. */
export interface BareServer {
  url: string
  /** How many connections are open. */
  connections(): Promise<number>
  close(): Promise<void>
}

/** Serves some handlers on a free port, with the program's own way to answer errors and 404. */
export async function serveBare(
  add: (app: Hono<HttpEnv>) => void,
  limits: Partial<ConnectionLimits> = {},
): Promise<BareServer> {
  const app = new Hono<HttpEnv>()
  app.onError(answerError)
  app.notFound((c) => answerError(new AppError('NOT_FOUND'), c))
  add(app)
  const refuse = () => Promise.reject(new Error('There is no storage here.'))
  const address = { host: '127.0.0.1', port: 0, admit: () => true }
  const { server, port } = await listen(app, refuse, address, { ...connectionLimits, ...limits })
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => promisify(server.getConnections).call(server),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
