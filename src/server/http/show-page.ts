import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { OtherPageName } from '../../shared/public-pages.ts'
import type { HttpEnv } from './env.ts'

/** An answer that is made for one request, which no cache may keep. */
export interface PageAnswer {
  status: ContentfulStatusCode
  /** What the page says went wrong. */
  fault?: string
  headers?: Record<string, string>
}

/** Answers a call with a page that the build rendered and that has no path of its own. */
export type ShowPage = (
  context: Context<HttpEnv>,
  name: OtherPageName,
  answer?: PageAnswer,
) => Promise<Response>
