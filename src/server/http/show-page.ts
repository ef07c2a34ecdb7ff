import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { OtherPageName } from '../../shared/public-pages.ts'
import type { HttpEnv } from './env.ts'

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
