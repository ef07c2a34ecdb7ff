import { z } from 'zod'
import { longestAddress } from '../rules/accounts/mail-address.ts'
import { longestReason, longestWords, reportChoiceNames } from '../rules/links/report.ts'
import { endpoint } from './endpoint.ts'
import { done, isoDate, linesOfText, shortCode } from './fields.ts'
import { sha256 } from './files.ts'

const reason = linesOfText(longestReason)

/** What a visitor who reports a file sends. */
export const reportBody = z.object({
  reason,
  /** The visitor's address for an answer. An empty text means that there is none. */
  email: z
    .string()
    .trim()
    .max(longestAddress)
    .refine(
      (text) => text === '' || z.email().safeParse(text).success,
      'Please enter a valid email address.',
    )
    .nullish()
    .transform((text) => text || null),
  /** People do not see this field, so they leave it empty. Robots fill in every field. */
  website: z.string().max(500).optional(),
})

/** What the form of the page sends: a choice and the visitor's own words instead of a reason. */
export const reportForm = reportBody
  .omit({ reason: true })
  .extend({ choice: z.enum(reportChoiceNames), words: linesOfText(longestWords) })

/** What one visitor wrote about a file. */
const statement = z.object({
  at: isoDate,
  reason: z.string(),
  email: z.string().nullable(),
  /** True if a robot has probably sent the statement. */
  isSuspect: z.boolean(),
})

/**
 * The open report of a file. It collects what visitors wrote since the administrator closed the
 * last report of this file.
 */
const reportSchema = z.object({
  id: z.uuid(),
  /** The short code under which visitors reported the file last. */
  shortCode: z.string(),
  /** How often the file was reported. */
  count: z.int().positive(),
  firstReportedAt: isoDate,
  lastReportedAt: isoDate,
  /**
   * What visitors wrote, oldest first. If there are many, only the first ones and the last ones are
   * kept.
   */
  statements: z.array(statement),
  file: z.object({
    originalName: z.string(),
    mimeType: z.string(),
    /** The size in bytes. */
    size: z.int().nonnegative(),
    sha256: sha256.nullable(),
    /** The owner's mail address. null if the account no longer exists. */
    owner: z.string().nullable(),
    /** The short code that opens the file now. null if no link opens it. */
    openCode: z.string().nullable(),
    /** How many other files with the same SHA-256 have stored bytes. */
    copies: z.int().nonnegative(),
  }),
})
export type Report = z.infer<typeof reportSchema>

const codeParams = z.object({ code: shortCode })

/** The largest body of the form, in bytes. */
const largestForm = 64 * 1024

export const abuse = {
  reportLink: endpoint({
    method: 'POST',
    path: '/api/links/{code}/report',
    summary: 'Report the file behind a link that opens. No account is needed.',
    access: 'visitor',
    params: codeParams,
    body: reportBody,
    response: done,
    errors: ['LINK_NOT_FOUND'],
  }),
  openReportPage: endpoint({
    method: 'GET',
    path: '/s/{code}/report',
    summary: 'The page with the form that reports the file behind a link.',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
    errors: [],
  }),
  sendReportPage: endpoint({
    method: 'POST',
    path: '/s/{code}/report',
    summary: 'The same as the call for reporting, for the form of the page. Answers a page.',
    access: 'visitor',
    params: codeParams,
    bytes: { types: ['application/x-www-form-urlencoded'], maxSize: largestForm },
    response: { raw: 'page' },
    errors: [],
  }),
  listReports: endpoint({
    method: 'GET',
    path: '/api/admin/reports',
    summary:
      'The reports that are open, last reported first: a page of at most `limit`. Those of one file are one report with a count. The header `x-next-cursor` leads to the next page; the last page has none.',
    access: 'admin',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    response: z.array(reportSchema),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  takeDown: endpoint({
    method: 'POST',
    path: '/api/admin/takedown',
    summary:
      'End a link for good and block its content: the bytes go, and so do all other files with the same bytes. Nobody can upload them again. The owners get the reason by email, where the server sends mail, and in the list of their files.',
    access: 'admin',
    body: z.object({ shortCode: shortCode.trim().min(1).max(64), reason }),
    response: done,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'LINK_NOT_FOUND'],
  }),
  dismissReport: endpoint({
    method: 'POST',
    path: '/api/admin/reports/{id}/dismiss',
    summary: 'Close a report and leave the file as it is.',
    access: 'admin',
    // A wrong id only finds no report. So any text is accepted.
    params: z.object({ id: z.string().max(64) }),
    response: done,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'REPORT_NOT_FOUND'],
  }),
}
