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
   * Returns the form, filled in with the visitor's previous input. After a rejected submission,
   * `error` is the message to show and `status` the response status.
   */
  form(
    link: { shortCode: string; name: string },
    input?: ReportInput,
    rejection?: { error: string; status: number; headers?: Readonly<Record<string, string>> },
  ): Response
  /** Returns the page that confirms the report. */
  confirmationPage(shortCode: string): Response
  /** Returns the page for an inactive link. */
  invalidLink(): Response
}

/**
 * Loads the template of the report page (report.html in `distDir`), which works without JavaScript.
 * @throws {StartupError} if the template is missing or was built for another version of the server.
 */
export function loadReportPages(options: { distDir: string; appUrl: URL }): ReportPages {
  const { distDir, appUrl } = options
  const file = 'report.html'
  const html = readBuilt(distDir, file)
  const invalidLinkHtml = readBuilt(distDir, 'download-invalid.html')
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
  // With `no-referrer`, browsers would submit the form with a null origin, which the server rejects
  // as cross-site. `same-origin` avoids that and still hides the page's URL from other sites.
  const headers = makeHeaders(html, 'same-origin')
  const invalidLinkHeaders = makeHeaders(invalidLinkHtml, 'no-referrer')
  const emptyFields = { code: '', name: '', words: '', email: '', error: '' }
  return {
    form(
      { shortCode, name },
      { choice, words, email } = { choice: null, words: '', email: '' },
      { error, status, headers: extraHeaders } = { error: '', status: 200 },
    ) {
      const { fill } = template([
        'form',
        ...(choice === null ? [] : [choice]),
        ...(error === '' ? [] : (['error'] as const)),
      ])
      const body = fill({ code: shortCode, name, words, email, error })
      return new Response(body, { status, headers: { ...headers, ...extraHeaders } })
    },
    confirmationPage(shortCode) {
      const { fill } = template(['sent'])
      return new Response(fill({ ...emptyFields, code: shortCode }), { headers })
    },
    invalidLink: () => new Response(invalidLinkHtml, { status: 404, headers: invalidLinkHeaders }),
  }
}
