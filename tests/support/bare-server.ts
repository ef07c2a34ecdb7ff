import { promisify } from 'node:util'
import { Hono } from 'hono'
import { AppError } from '../../src/server/errors.ts'
import type { HttpEnv } from '../../src/server/http/env.ts'
import { errorResponse } from '../../src/server/http/error-handler.ts'
import { type ConnectionLimits, connectionLimits } from '../../src/server/http/limits.ts'
import { type ListenOptions, listen } from '../../src/server/http/listen.ts'

/** A real HTTP server that has only the routes added by a test. */
export interface BareServer {
  url: string
  connections(): Promise<number>
  close(): Promise<void>
}

/**
 * Serves a test's routes on a free port. Errors and unknown paths are handled as on the production
 * server.
 */
export async function serveBare(
  addRoutes: (app: Hono<HttpEnv>) => void,
  limits: Partial<ConnectionLimits> = {},
  { trustedProxies = null, log = { warn() {} } }: Partial<ListenOptions> = {},
): Promise<BareServer> {
  const app = new Hono<HttpEnv>()
  app.onError(errorResponse)
  app.notFound((c) => errorResponse(new AppError('NOT_FOUND'), c))
  addRoutes(app)
  const rejectStorageRequest = () => Promise.reject(new Error('There is no storage here.'))
  const listenOptions = {
    host: '127.0.0.1',
    port: 0,
    admit: () => true,
    watch() {},
    trustedProxies,
    log,
  }
  const { server, port } = await listen(app, rejectStorageRequest, listenOptions, {
    ...connectionLimits,
    ...limits,
  })
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => promisify(server.getConnections).call(server),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
