import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'

/**
 * What Hono carries with every request: Node's request and response, and the values that our
 * middleware sets.
 */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** Returns the logger of this request, whose lines name its id. Few requests need it. */
    requestLog: () => Logger
    clientAddress: string
    /**
     * The origin of this server's URLs in the answer: links, and presigned URLs of the disk store.
     * Presigned URLs of a bucket have the bucket's origin.
     */
    publicOrigin: string
  }
}
