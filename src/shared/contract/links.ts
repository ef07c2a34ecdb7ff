import { z } from 'zod'
import { hasVisibleCharacter, isPlainLine, isStorableText } from '../rules/format/text.ts'
import {
  maxDownloadLimit,
  maxFilesPerLink,
  maxFilesPerPage,
  maxLinkMessageLength,
  maxLinkPasswordLength,
  maxLinkTitleLength,
} from '../rules/links/link-limits.ts'
import { brandSchema } from './branding.ts'
import { endpoint } from './endpoint.ts'
import {
  expirationDays,
  isoDate,
  messageResponse,
  multilineText,
  shortCode,
  tooLongText,
} from './fields.ts'
import { linkListQuery, sha256 } from './files.ts'
import { startBody, startErrors, startResponse } from './uploads.ts'

/** In bytes. A thousand files with long names fit. */
export const maxLinkBodySize = 1024 * 1024

const codeParams = z.object({ code: shortCode })

export const linkTitle = z
  .string()
  .trim()
  .min(1)
  .max(maxLinkTitleLength, tooLongText(maxLinkTitleLength))
  .refine((text) => isPlainLine(text) && hasVisibleCharacter(text), 'Must be one line of text.')

const message = multilineText(maxLinkMessageLength)

export const linkPassword = z
  .string()
  .min(1)
  .max(maxLinkPasswordLength, tooLongText(maxLinkPasswordLength))
  .refine(isStorableText, 'Must be text.')

export const maxDownloads = z
  .int()
  .min(1)
  .max(maxDownloadLimit)
  .describe('The link ends after this many downloads.')

const fileStates = ['uploading', 'ready'] as const

/** A file of a link, or an upload that will become one, as visitors see it. */
export const linkFile = z.object({
  id: z.uuid(),
  name: z.string(),
  mimeType: z.string(),
  size: z.int().nonnegative().describe('In bytes.'),
  sha256: sha256.nullable().describe('Null until the server knows it.'),
  state: z.enum(fileStates),
  receivedBytes: z.int().nonnegative().describe('How much has arrived, in bytes.'),
})

/** What both the owner and visitors see of a link. */
const sharedLinkFields = {
  shortCode: z.string().describe('The end of the link: `/s/{shortCode}`.'),
  title: z.string().nullable(),
  message: z.string().nullable(),
  createdAt: isoDate,
  expiresAt: isoDate.describe('When the link ends.'),
  maxLifetimeAt: isoDate.describe('When its files are deleted at the latest, even if renewed.'),
  state: z.enum(fileStates).describe('`uploading` while files are on their way.'),
  hasPassword: z.boolean(),
  maxDownloads: z.int().nullable(),
  totalSize: z.int().nonnegative().describe('In bytes.'),
}

const downloadCount = z.int().nonnegative()

/** A file of a link as shown to its owner. */
export const ownLinkFile = linkFile.extend({
  downloadCount,
  purgingAt: isoDate
    .nullable()
    .describe('When the server began to delete the bytes. They can no longer be downloaded.'),
  purgedAt: isoDate.nullable().describe('When storage confirmed that the bytes are gone.'),
  purgeDueAt: isoDate.nullable().describe('When the deletion was due; null before it begins.'),
  takenDownAt: isoDate.nullable().describe('When the administrator took the file down.'),
  takedownReason: z.string().nullable(),
})

/** A link as shown to its owner (design §5). */
const linkSchema = z.object({
  id: z.uuid().describe('Stays the same when a renewal changes the code.'),
  ...sharedLinkFields,
  downloadCount,
  requestId: z.uuid().nullable().describe('The request that received it.'),
  senderName: z.string().nullable(),
  shared: z.boolean().describe('False for a received link that its owner has not shared yet.'),
  undelivered: z.array(z.string()).describe("Addresses that the link couldn't be emailed to."),
  files: z.array(ownLinkFile),
})
export type Link = z.infer<typeof linkSchema>
export type LinkFile = z.infer<typeof ownLinkFile>

/** A link as shown on its page. A link with a single file also has the file's fields. */
export const publicLink = z.object({
  ...sharedLinkFields,
  files: z.array(linkFile),
  downloadCount: downloadCount.optional().describe('Only for the owner.'),
  remainingDownloads: z.int().nonnegative().nullable().describe('Null if there is no limit.'),
  originalName: z.string().optional(),
  mimeType: z.string().optional(),
  size: z.int().nonnegative().optional(),
  sha256: sha256.nullable().optional(),
  branding: brandSchema.nullable().describe("The sender's brand."),
})
export type PublicLink = z.infer<typeof publicLink>

const lockedLink = z.object({
  needsPassword: z.literal(true),
  expiresAt: isoDate,
  branding: brandSchema.nullable(),
})

const newFile = startBody.pick({ fileName: true, fileSize: true, fileType: true })
export const newFiles = z.array(newFile).min(1).max(maxFilesPerLink)

const startedLink = z.object({
  link: linkSchema,
  uploads: z.array(startResponse).describe('In the order of `files`.'),
})

export const linkIdempotencyKey = startBody.shape.idempotencyKey.describe(
  'A key of your choice. The same key returns the same uploads, as long as they are open.',
)

const linkOptions = {
  title: linkTitle.nullable().optional(),
  message: message.nullable().optional(),
  password: linkPassword.nullable().optional(),
  maxDownloads: maxDownloads.nullable().optional(),
}
export const linkOptionsSchema = z.object(linkOptions)
export type LinkOptions = z.infer<typeof linkOptionsSchema>

const preferredDays = expirationDays
  .optional()
  .describe(
    'Days until the link expires: one of the choices of your tier. Defaults to your preference.',
  )

const allOrNothing =
  'If a file is refused, nothing is started and `errors` names every refused file.'

export const links = {
  createLink: endpoint('POST', '/api/links', {
    summary: `Start a link with up to ${maxFilesPerLink} files. ${allOrNothing}`,
    access: { scope: 'files:write' },
    body: z.object({
      ...linkOptions,
      files: newFiles,
      expirationDays: preferredDays,
      ownerId: startBody.shape.ownerId,
      idempotencyKey: linkIdempotencyKey,
    }),
    maxBodySize: maxLinkBodySize,
    response: startedLink,
    status: 201,
    errors: ['PASSWORDS_BUSY', ...startErrors],
  }),
  addFiles: endpoint('POST', '/api/links/{code}/files', {
    summary: `Add files to a link of yours. ${allOrNothing}`,
    access: { scope: 'files:write' },
    params: codeParams,
    body: z.object({
      files: newFiles,
      ownerId: startBody.shape.ownerId,
      idempotencyKey: linkIdempotencyKey,
    }),
    maxBodySize: maxLinkBodySize,
    response: startedLink,
    status: 201,
    errors: ['LINK_NOT_FOUND', ...startErrors],
  }),
  listLinks: endpoint('GET', '/api/links', {
    summary: `List your links. A page has at most ${maxFilesPerPage} files or a single link`,
    access: { scope: 'files:read' },
    query: linkListQuery,
    response: z.array(linkSchema),
  }),
  linkDetails: endpoint('GET', '/api/links/{code}', {
    summary: 'Get what the download page shows',
    access: 'visitor',
    params: codeParams,
    response: z.union([publicLink, lockedLink]),
    errors: ['LINK_NOT_FOUND'],
  }),
  changeLink: endpoint('PATCH', '/api/links/{code}', {
    summary: 'Change a link of yours. Null removes a value',
    access: { scope: 'files:write' },
    params: codeParams,
    body: z.strictObject({
      ...linkOptions,
      shared: z
        .literal(true)
        .optional()
        .describe('Lets anyone who has the link see a received link. Cannot be undone.'),
    }),
    response: linkSchema,
    errors: ['LINK_NOT_FOUND', 'DELIVERY_UNFINISHED', 'PASSWORDS_BUSY'],
  }),
  deleteLink: endpoint('DELETE', '/api/links/{code}', {
    summary: 'Delete a link of yours with its files',
    access: { scope: 'files:delete' },
    params: codeParams,
    response: messageResponse,
    errors: ['LINK_NOT_FOUND'],
  }),
  renewLink: endpoint('PATCH', '/api/links/{code}/renew', {
    summary: 'Renew a link: give it a new code and end the old one (premium)',
    access: { scope: 'files:write' },
    params: codeParams,
    body: z.object({ expirationDays: preferredDays }),
    response: linkSchema,
    errors: ['LINK_NOT_FOUND', 'TIER_RENEWAL', 'TIER_EXPIRATION', 'FILE_GONE', 'DOWNLOADS_USED_UP'],
  }),
  unlockLink: endpoint('POST', '/api/links/{code}/unlock', {
    summary: 'Unlock a link with its password. Sets a cookie for this link',
    access: 'visitor',
    params: codeParams,
    body: z.object({ password: linkPassword }),
    response: { raw: 'text' },
    status: 204,
    errors: ['LINK_NOT_FOUND', 'WRONG_PASSWORD', 'PASSWORDS_BUSY'],
  }),
}
