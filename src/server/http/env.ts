import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import type { OtherPageName } from '../../shared/public-pages.ts'

/** Node's request and response, and what `requestContext` sets for each request. */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** Its lines name the request's id. */
    log: Logger
    clientAddress: string
    /**
     * The origin of this server's URLs in the answer: links, and presigned URLs of the disk store.
     * Presigned URLs of a bucket have the bucket's origin.
     */
    publicOrigin: string
    /** The body of a call, read by `bodyLimit`; undefined when it has none. */
    body?: Buffer
  }
}

/** An answer for one request. Caches must not keep it. */
export interface PageAnswer {
  status: ContentfulStatusCode
  /** Why the request was refused, as the page shows it. */
  reason?: string
  headers?: Record<string, string>
}

/** Answers a call with a page that the build rendered and that has no path of its own. */
export type ShowPage = (
  context: Context<HttpEnv>,
  name: OtherPageName,
  answer?: PageAnswer,
) => Promise<Response>
