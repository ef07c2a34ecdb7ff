import {
  type ReportCondition,
  type ReportPlaceholder,
  reportConditions,
  reportPlaceholders,
} from '../../shared/placeholders.ts'
import type { ReportChoice } from '../../shared/rules/links/report.ts'
import { makeTemplate, pageHeaders, readBuilt } from '../http/built-pages.ts'

/** A visitor's input in the report form. */
export interface ReportInput {
  choice: ReportChoice | null
  words: string
  email: string
}

export interface ReportPages {
  /**
   * Returns the form with the visitor's previous input. If the form was refused, `error` is the
   * message shown, and `status` the status of the response.
   */
  form(
    file: { shortCode: string; originalName: string },
    input?: ReportInput,
    rejection?: { error: string; status: number; headers?: Readonly<Record<string, string>> },
  ): Response
  /** Returns the page that confirms the report. */
  confirmation(shortCode: string): Response
  /** Returns the page of an inactive link. */
  invalidLink(): Response
}

/**
 * Loads the template of the report page (report.html in `distDir`), which works without JavaScript.
 * @throws {StartupError} if the template is missing or from another version of the server.
 */
export function loadReportPages(options: { distDir: string; appUrl: URL }): ReportPages {
  const { distDir, appUrl } = options
  const file = 'report.html'
  const html = readBuilt(distDir, file)
  const invalidLinkPage = readBuilt(distDir, 'download-invalid.html')
  const template = makeTemplate<ReportPlaceholder, ReportCondition>({
    file,
    html,
    placeholders: reportPlaceholders,
    conditions: reportConditions,
  })
  const makeHeaders = (page: string, referrer: 'no-referrer' | 'same-origin') => ({
    ...pageHeaders({ html: page, appUrl, connect: [], referrer }),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  })
  // With `no-referrer`, browsers would submit the form without an origin, and the server would
  // refuse it as cross-site. With `same-origin`, the page's URL is sent only to this server.
  const headers = makeHeaders(html, 'same-origin')
  const invalidLinkHeaders = makeHeaders(invalidLinkPage, 'no-referrer')
  const emptyFields = { code: '', name: '', words: '', email: '', error: '' }
  return {
    form(
      { shortCode, originalName },
      { choice, words, email } = { choice: null, words: '', email: '' },
      { error, status, headers: extraHeaders } = { error: '', status: 200 },
    ) {
      const { fill } = template([
        'form',
        ...(choice === null ? [] : [choice]),
        ...(error === '' ? [] : (['error'] as const)),
      ])
      const body = fill({ code: shortCode, name: originalName, words, email, error })
      return new Response(body, { status, headers: { ...headers, ...extraHeaders } })
    },
    confirmation(shortCode) {
      const { fill } = template(['sent'])
      return new Response(fill({ ...emptyFields, code: shortCode }), { headers })
    },
    invalidLink: () => new Response(invalidLinkPage, { status: 404, headers: invalidLinkHeaders }),
  }
}
