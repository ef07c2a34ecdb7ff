import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import type { BuiltPage, PublicPageName } from '../../shared/public-pages.ts'

/** Node's request and response, and the variables set by `requestContext`. */
export interface HttpEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** Adds the request id to each log line. */
    log: Logger
    clientAddress: string
    /**
     * The origin for this server's URLs in responses: links, and presigned URLs for the disk store.
     * Presigned URLs for a bucket use the bucket's origin.
     */
    publicOrigin: string
    /** True for a call by a program that doesn't read JSON. */
    sendsTextErrors?: boolean
    /** The body of an API call, read by `bodyLimit`; undefined if there is none. */
    body?: Buffer
  }
}

/** A response that must not be cached. */
export interface PageResponse {
  status: ContentfulStatusCode
  /** Why the request was refused, as shown on the page. */
  reason?: string
  headers?: Record<string, string>
}

/** Responds with a page that isn't in the sitemap, such as `not-found`. */
export type PageResponder = (
  context: Context<HttpEnv>,
  name: Exclude<BuiltPage, PublicPageName>,
  response?: PageResponse,
) => Promise<Response>
