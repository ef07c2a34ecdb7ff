import { z } from 'zod'
import { hasVisibleCharacter, isPlainLine } from '../rules/format/text.ts'
import { maxFilesPerLink, maxLinkMessageLength } from '../rules/links/link-limits.ts'
import { maxOpenDays, requestStates } from '../rules/links/request-state.ts'
import { brandSchema } from './branding.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, messageResponse, multilineText, tooLongText } from './fields.ts'
import { linkIdempotencyKey, linkPassword, linkTitle, maxLinkBodySize, newFiles } from './links.ts'
import { startErrors, startResponse } from './uploads.ts'

export const maxSenderNameLength = 100
export const maxDeliveriesPerRequest = 10_000

/** Any text is accepted, because an unknown id or code simply finds no request. */
const idParams = z.object({ id: z.string().max(64) })
const codeParams = z.object({ code: z.string().describe('The end of the request: `/r/{code}`.') })

const message = multilineText(maxLinkMessageLength)

const senderName = z
  .string()
  .trim()
  .min(1)
  .max(maxSenderNameLength, tooLongText(maxSenderNameLength))
  .refine((text) => isPlainLine(text) && hasVisibleCharacter(text), 'Must be one line of text.')

const openDays = z.int().min(1).max(maxOpenDays).describe('How many days the request is open.')

const requestOptions = {
  message: message.nullable().optional(),
  maxLinks: z
    .int()
    .min(1)
    .max(maxDeliveriesPerRequest)
    .nullable()
    .optional()
    .describe('How many deliveries the request takes.'),
  maxFileSize: z.int().min(1).nullable().optional().describe('Of each file, in bytes.'),
  password: linkPassword.nullable().optional(),
}

const requestSchema = z.object({
  id: z.uuid(),
  code: z.string(),
  url: z.string().describe('The page that takes files.'),
  title: z.string(),
  message: z.string().nullable(),
  hasPassword: z.boolean(),
  maxLinks: z.int().nullable(),
  maxFileSize: z.int().nullable(),
  createdAt: isoDate,
  closesAt: isoDate,
  closedAt: isoDate.nullable().describe('When it was closed by hand.'),
  state: z.enum(requestStates),
  receivedCount: z.int().nonnegative().describe('Deliveries with at least one file.'),
})
/** A request as shown to its owner (design §5). */
export type FileRequest = z.infer<typeof requestSchema>

const publicRequest = z.object({
  requester: z.string().describe('The name of the user who asks for files.'),
  title: z.string(),
  message: z.string().nullable(),
  closesAt: isoDate,
  maxFileSize: z.int().describe('Of each file, in bytes.'),
  maxFiles: z
    .int()
    .nonnegative()
    .describe('How many files a delivery can have now; 0 if the request takes nothing now.'),
  branding: brandSchema.nullable().describe('The brand of the user who asks for files.'),
})
/** A request as shown on its page. */
export type PublicRequest = z.infer<typeof publicRequest>

const lockedRequest = z.object({
  needsPassword: z.literal(true),
  closesAt: isoDate,
  branding: brandSchema.nullable(),
})

const adminRequest = requestSchema.extend({ owner: z.string().describe('The email address.') })
export type AdminRequest = z.infer<typeof adminRequest>

const requestListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(200).optional(),
})

export const requests = {
  createRequest: endpoint('POST', '/api/requests', {
    summary: 'Create a request: a page where people without an account send you files',
    access: { scope: 'requests:write' },
    body: z.object({ title: linkTitle, openDays, ...requestOptions }),
    response: requestSchema,
    status: 201,
    errors: ['REQUESTS_OFF', 'TIER_REQUESTS', 'TIER_REQUEST_COUNT', 'PASSWORDS_BUSY'],
  }),
  listRequests: endpoint('GET', '/api/requests', {
    summary: 'List your requests, newest first',
    access: { scope: 'requests:write' },
    query: requestListQuery,
    response: z.array(requestSchema),
  }),
  changeRequest: endpoint('PATCH', '/api/requests/{id}', {
    summary: 'Change an open request of yours. Null removes a value',
    access: { scope: 'requests:write' },
    params: idParams,
    body: z.strictObject({
      title: linkTitle.optional(),
      openDays: openDays.describe('How many days the request stays open from now.').optional(),
      ...requestOptions,
    }),
    response: requestSchema,
    errors: ['REQUEST_NOT_FOUND', 'REQUEST_CLOSED', 'TIER_REQUEST_COUNT', 'PASSWORDS_BUSY'],
  }),
  closeRequest: endpoint('DELETE', '/api/requests/{id}', {
    summary: 'Close a request of yours. What it received stays. Idempotent',
    access: { scope: 'requests:write' },
    params: idParams,
    response: messageResponse,
    errors: ['REQUEST_NOT_FOUND'],
  }),
  requestDetails: endpoint('GET', '/api/requests/{id}', {
    summary: "Get what a request's page shows. `id` is the request's code",
    access: 'visitor',
    params: idParams,
    response: z.union([publicRequest, lockedRequest]),
    errors: ['REQUEST_NOT_FOUND'],
  }),
  unlockRequest: endpoint('POST', '/api/requests/{code}/unlock', {
    summary: 'Unlock a request with its password. Sets a cookie for this request',
    access: 'visitor',
    params: codeParams,
    body: z.object({ password: linkPassword }),
    response: { raw: 'text' },
    status: 204,
    errors: ['REQUEST_NOT_FOUND', 'WRONG_PASSWORD', 'PASSWORDS_BUSY'],
  }),
  createDelivery: endpoint('POST', '/api/requests/{code}/links', {
    summary:
      `Start a delivery of up to ${maxFilesPerLink} files. With \`Authorization: Upload\` and the ` +
      'token of an unfinished delivery, add files to it',
    access: 'visitor',
    params: codeParams,
    body: z.object({
      senderName: senderName.nullable().optional(),
      message: message.nullable().optional(),
      files: newFiles,
      idempotencyKey: linkIdempotencyKey,
    }),
    maxBodySize: maxLinkBodySize,
    response: z.object({
      uploads: z
        .array(startResponse.omit({ shortCode: true }))
        .describe('In the order of `files`.'),
      uploadToken: z
        .string()
        .describe("Authorizes the delivery's later calls, as `Authorization: Upload {token}`."),
    }),
    status: 201,
    errors: ['REQUEST_NOT_FOUND', 'LINK_LOCKED', 'REQUEST_FULL', 'UNAUTHORIZED', ...startErrors],
  }),
  openRequestPage: endpoint('GET', '/r/{code}', {
    summary: 'Get the page where people send files',
    access: 'visitor',
    params: codeParams,
    response: { raw: 'page' },
  }),
  adminRequests: endpoint('GET', '/api/admin/requests', {
    summary: "List everybody's requests, newest first",
    access: 'admin',
    query: requestListQuery,
    response: z.array(adminRequest),
  }),
  closeAnyRequest: endpoint('POST', '/api/admin/requests/{id}/close', {
    summary: 'Close a request. What it received stays. Idempotent',
    access: 'admin',
    params: idParams,
    response: messageResponse,
    errors: ['REQUEST_NOT_FOUND'],
  }),
}
