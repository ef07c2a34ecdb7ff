import { z } from 'zod'
import { reportForm } from '../../shared/contract/abuse.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { isLinkActive, linkName } from '../../shared/rules/links/link-status.ts'
import {
  maxExplanationLength,
  type ReportChoice,
  reportChoices,
  reportReason,
} from '../../shared/rules/links/report.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { parseCursor, takePage, timestamp } from '../http/cursor.ts'
import { formFields, type Handlers } from '../http/mount.ts'
import type { ReadSession } from '../http/session.ts'
import { dismissReport } from './dismiss-report.ts'
import { findOpenLink, reportLink } from './report-link.ts'
import type { ReportInput, ReportPages } from './report-pages.ts'
import { listReports, type ReportableFile } from './report-queries.ts'
import { takeDown, takedownText } from './take-down.ts'

const cursorShape = z.tuple([timestamp, z.uuid()])

/**
 * The endpoints for abuse reports and takedowns (design §4). Visitors report files. The
 * administrator takes reported files down or dismisses the reports.
 */
export function abuseRoutes(
  deps: Pick<
    Deps,
    'requestJob' | 'clock' | 'db' | 'log' | 'mailQueue' | 'rateLimits' | 'stores'
  > & { readSession: ReadSession },
  pages: ReportPages,
) {
  return {
    async reportLink({ params, body, context }) {
      await reportLink(deps, params.code, body, context)
      return { message: 'Thank you. The report has been sent.' }
    },

    async openReportPage({ params, context }) {
      const file = await findOpenLink(deps, params.code, context)
      return file ? pages.form(toReportedLink(file)) : pages.invalidLink()
    },

    async sendReportPage({ params, context }) {
      const fields = formFields(context)
      const parsed = reportForm.safeParse(fields)
      const showFormError = async (error: string, status: number, headers = {}) => {
        const file = await findOpenLink(deps, params.code, context)
        return file
          ? pages.form(toReportedLink(file), reportInput(fields), { error, status, headers })
          : pages.invalidLink()
      }
      if (!parsed.success) return showFormError(validationMessage(parsed.error), 400)
      const { choice, words, ...others } = parsed.data
      const statement = { ...others, reason: reportReason(choice, words) }
      try {
        await reportLink(deps, params.code, statement, context)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'LINK_NOT_FOUND') return pages.invalidLink()
        if (error.code !== 'TOO_MANY_REQUESTS') throw error
        return showFormError(error.message, error.status, error.headers)
      }
      return pages.confirmationPage(params.code)
    },

    async listReports({ query: { limit, cursor }, context }) {
      const after = parseCursor(cursorShape, cursor)
      const rows = await listReports(deps.db, { limit: limit + 1, after })
      const toCursor = ({ report }: (typeof rows)[number]) => [report.lastReportedAt, report.id]
      const now = deps.clock()
      return takePage(context, rows, { limit, cursorOf: toCursor }).map((row) => toReport(row, now))
    },

    async takeDown({ body, user, clientAddress }) {
      const actor = { id: user.id, ipAddress: clientAddress }
      return { message: takedownText(await takeDown(deps, { ...body, actor })) }
    },

    async dismissReport({ params, user, clientAddress }) {
      const actor = { id: user.id, ipAddress: clientAddress }
      return { message: dismissedText(await dismissReport(deps, params.id, actor)) }
    },
  } satisfies Partial<Handlers>
}

function dismissedText(openCount: number): string {
  return `Report dismissed, ${openCount === 0 ? 'none is' : `${groupDigits(openCount)} still`} open`
}

type ListedReport = Awaited<ReturnType<typeof listReports>>[number]

function toReport({ report, file, link, owner, copies }: ListedReport, now: Date) {
  const isOpen = file && link && isLinkActive({ ...file, ...link }, now)
  return {
    ...report,
    file: {
      originalName: report.originalName,
      mimeType: report.mimeType,
      size: report.size,
      sha256: file?.sha256 ?? report.provedSha256,
      owner,
      openCode: isOpen ? link.shortCode : null,
      copies,
    },
  }
}

/** Returns what the report page shows. The name of a locked link would reveal a file's name. */
function toReportedLink({ shortCode, title, isLocked, originalName, fileCount }: ReportableFile) {
  const name = linkName({ title, firstFileName: originalName, fileCount })
  return { shortCode, name: isLocked ? 'This link' : name }
}

/** Returns the visitor's input, to show it again after a rejected submission. */
function reportInput({ choice = '', words = '', email = '' }: Record<string, string>): ReportInput {
  return { choice: isChoice(choice) ? choice : null, words, email }
}

function isChoice(text: string): text is ReportChoice {
  return Object.hasOwn(reportChoices, text)
}

function validationMessage({ issues }: z.ZodError): string {
  const isInvalid = (field: string) => issues.some(({ path }) => path[0] === field)
  if (isInvalid('choice')) return 'Please choose what is wrong with the file.'
  if (!isInvalid('words')) return 'Please enter a valid email address.'
  const isTooLong = issues.some(({ code, path }) => path[0] === 'words' && code === 'too_big')
  return isTooLong
    ? `Please use at most ${groupDigits(maxExplanationLength)} characters.`
    : 'Please say what is wrong with the file.'
}
