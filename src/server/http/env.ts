import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import type { OtherPageName } from '../../shared/public-pages.ts'

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

/**
 * The status, text and headers of an answer that is made for one request. Caches must not keep it.
 */
export interface PageAnswer {
  status: ContentfulStatusCode
  /** Why the request was refused. The page shows this text. */
  fault?: string
  headers?: Record<string, string>
}

/**
 * Answers a call with a page that the build rendered. Nobody reaches these pages by a path of the
 * public pages: they are only answers to calls.
 */
export type ShowPage = (
  context: Context<HttpEnv>,
  name: OtherPageName,
  answer?: PageAnswer,
) => Promise<Response>
