import { z } from 'zod'
import { maxEmailLength } from '../rules/accounts/email-limits.ts'
import { maxExplanationLength, maxReasonLength, reportChoiceNames } from '../rules/links/report.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, messageResponse, multilineText, shortCode } from './fields.ts'
import { sha256 } from './files.ts'

const reason = multilineText(maxReasonLength)

export const reportBody = z.object({
  reason,
  email: z
    .string()
    .trim()
    .max(maxEmailLength)
    .refine(
      (text) => text === '' || z.email().safeParse(text).success,
      'Please enter a valid email address.',
    )
    .nullish()
    .transform((text) => text || null)
    .describe('For a reply.'),
  website: z.string().max(500).optional().describe('Leave it out: only bots fill it in.'),
})

export const reportForm = reportBody
  .omit({ reason: true })
  .extend({ choice: z.enum(reportChoiceNames), words: multilineText(maxExplanationLength) })

const statement = z.object({
  at: z.iso.datetime(),
  reason: z.string(),
  email: z.string().nullable(),
  isSuspect: z.boolean().describe('Whether a bot probably sent it.'),
})

/**
 * The open report on a file. It contains all statements made since the previous report on the file
 * was closed.
 */
const reportSchema = z.object({
  id: z.uuid(),
  shortCode: shortCode.describe('The link that was reported last.'),
  count: z.int().positive().describe('How often the file was reported.'),
  firstReportedAt: isoDate,
  lastReportedAt: isoDate,
  statements: z.array(statement).describe('Oldest first. Of many, the first and last are kept.'),
  file: z.object({
    originalName: z.string(),
    mimeType: z.string(),
    size: z.int().nonnegative().describe('In bytes.'),
    sha256: sha256.nullable(),
    owner: z.string().nullable().describe('The email address; null for a deleted account.'),
    openCode: z.string().nullable().describe('The short code that works now.'),
    copies: z.int().nonnegative().describe('Other stored files with the same SHA-256.'),
  }),
})
export type Report = z.infer<typeof reportSchema>

const codeParams = z.object({ code: shortCode })

/** Maximum size of the submitted form, in bytes. */
const maxFormSize = 64 * 1024

export const abuse = {
  reportLink: endpoint('POST', '/api/links/{code}/report', {
    summary: 'Report a file',
    access: 'visitor',
    params: codeParams,
    body: reportBody,
    response: messageResponse,
    errors: ['LINK_NOT_FOUND'],
  }),
  openReportPage: endpoint('GET', '/s/{code}/report', {
    summary: 'Get the page that reports a file',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
  }),
  sendReportPage: endpoint('POST', '/s/{code}/report', {
    summary: 'Report a file by the form of that page',
    access: 'visitor',
    params: codeParams,
    bytes: { types: ['application/x-www-form-urlencoded'], maxSize: maxFormSize },
    response: { raw: 'page' },
  }),
  listReports: endpoint('GET', '/api/admin/reports', {
    summary: 'List open reports, last reported first',
    access: 'admin',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    response: z.array(reportSchema),
  }),
  takeDown: endpoint('POST', '/api/admin/takedown', {
    summary:
      'Take down the files of a link and all copies, and block their content. Tells the owners the reason',
    access: 'admin',
    body: z.object({
      shortCode: shortCode.trim().min(1).max(64),
      fileId: z.uuid().toLowerCase().optional().describe("Only one of the link's files."),
      reason,
    }),
    response: messageResponse,
    errors: ['LINK_NOT_FOUND'],
  }),
  dismissReport: endpoint('POST', '/api/admin/reports/{id}/dismiss', {
    summary: 'Close a report and keep the file',
    access: 'admin',
    params: z.object({ id: z.string().max(64) }),
    response: messageResponse,
    errors: ['REPORT_NOT_FOUND'],
  }),
}
