import { z } from 'zod'
import { maxRecipients, maxRecipientsPerDay } from '../rules/links/link-emails.ts'
import { email } from './account.ts'
import { endpoint } from './endpoint.ts'
import { messageResponse, multilineText, shortCode } from './fields.ts'

export const maxSentMessageLength = 2000

const message = multilineText(maxSentMessageLength)

const tokenParams = z.object({ token: z.string().max(200) })

export const linkEmails = {
  sendLink: endpoint('POST', '/api/links/{code}/send', {
    summary: `Send a link of yours by email, to up to ${maxRecipientsPerDay} people a day (premium). An address that already has the link gets no other email`,
    access: 'user',
    params: z.object({ code: shortCode }),
    body: z.object({
      to: z.array(email).min(1).max(maxRecipients, `Must have ${maxRecipients} addresses at most.`),
      message: message.nullable().optional(),
    }),
    response: messageResponse,
    status: 202,
    errors: [
      'LINK_NOT_FOUND',
      'LINK_NOT_SHARED',
      'SENDING_OFF',
      'TIER_SEND_BY_EMAIL',
      'EMAIL_NOT_VERIFIED',
    ],
  }),
  openOptOutPage: endpoint('GET', '/opt-out/{token}', {
    summary: 'Get the page that stops links by email',
    access: 'visitor',
    params: tokenParams,
    response: { raw: 'page' },
  }),
  sendOptOutPage: endpoint('POST', '/opt-out/{token}', {
    summary: 'Stop links by email. Also for one-click unsubscribing (RFC 8058)',
    access: 'visitor',
    params: tokenParams,
    bytes: {
      types: ['application/x-www-form-urlencoded', 'multipart/form-data'],
      maxSize: 64 * 1024,
    },
    response: { raw: 'page' },
  }),
}
