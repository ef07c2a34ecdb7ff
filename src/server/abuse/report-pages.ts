import {
  type ReportCondition,
  type ReportPlaceholder,
  reportConditions,
  reportPlaceholders,
} from '../../shared/placeholders.ts'
import type { ReportChoice } from '../../shared/rules/links/report.ts'
import { makeTemplate, pageHeaders, readBuilt } from '../http/built-pages.ts'

/** What a visitor has chosen and typed in the form that reports a file. */
export interface Typed {
  choice: ReportChoice | null
  words: string
  email: string
}

export interface ReportPages {
  /**
   * Answers with the form, filled with what the visitor typed before. If the server refused the
   * form, `error` tells the visitor why, and `status` is the status of the answer.
   */
  form(
    file: { shortCode: string; originalName: string },
    typed?: Typed,
    refused?: { error: string; status: number; headers?: Readonly<Record<string, string>> },
  ): Response
  /** Answers that the report was received. */
  sent(shortCode: string): Response
  /** Answers with the page of a link that does not open. */
  dead(): Response
}

/**
 * Reads the template of the page where a visitor reports a file (report.html in `distDir`). The
 * page works without scripts.
 * @throws {StartupError} when the template is missing or from another version of the server.
 */
export function loadReportPages(options: { distDir: string; appUrl: URL }): ReportPages {
  const { distDir, appUrl } = options
  const file = 'report.html'
  const html = readBuilt(distDir, file)
  const dead = readBuilt(distDir, 'download-invalid.html')
  const template = makeTemplate<ReportPlaceholder, ReportCondition>({
    file,
    html,
    placeholders: reportPlaceholders,
    conditions: reportConditions,
  })
  const headersOf = (page: string, referrer: 'no-referrer' | 'same-origin') => ({
    ...pageHeaders({ html: page, appUrl, connect: [], referrer }),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  })
  // With `no-referrer`, browsers would hide the origin when they send the form, and the server
  // would refuse the form as one from another site. With `same-origin`, only this server sees the
  // address of the page.
  const headers = headersOf(html, 'same-origin')
  const deadHeaders = headersOf(dead, 'no-referrer')
  const none = { code: '', name: '', words: '', email: '', error: '' }
  return {
    form(
      { shortCode, originalName },
      { choice, words, email } = { choice: null, words: '', email: '' },
      { error, status, headers: more } = { error: '', status: 200 },
    ) {
      const { fill } = template([
        'form',
        ...(choice === null ? [] : [choice]),
        ...(error === '' ? [] : (['error'] as const)),
      ])
      const body = fill({ code: shortCode, name: originalName, words, email, error })
      return new Response(body, { status, headers: { ...headers, ...more } })
    },
    sent(shortCode) {
      const { fill } = template(['sent'])
      return new Response(fill({ ...none, code: shortCode }), { headers })
    },
    dead: () => new Response(dead, { status: 404, headers: deadHeaders }),
  }
}
