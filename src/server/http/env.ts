import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'

/**
 * What every request carries through Hono: Node's request and response, an id, and a logger with
 * that id.
 */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    log: Logger
    clientAddress: string
    /** The origin of the links and presigned URLs in the answer. */
    publicOrigin: string
  }
}
