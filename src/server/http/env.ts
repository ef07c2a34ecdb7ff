import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'

/** What every request carries through Hono: Node's own pair, an id, and a logger that knows it. */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    log: Logger
    clientAddress: string
    /** What links and presigned URLs in the answer are made from. */
    publicOrigin: string
  }
}
