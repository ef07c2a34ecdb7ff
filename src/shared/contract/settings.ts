import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const settings = {
  emailSignature: endpoint({
    method: 'GET',
    path: '/api/settings/email-signature',
    summary: 'The signature under mails that share a link.',
    access: 'visitor',
    response: z.object({ signature: z.string() }),
    errors: [],
  }),
  version: endpoint({
    method: 'GET',
    path: '/api/settings/version',
    summary: 'The version text that the pages show.',
    access: 'visitor',
    response: z.object({ version: z.string() }),
    errors: [],
  }),
  premiumPrice: endpoint({
    method: 'GET',
    path: '/api/settings/premium-price',
    summary: 'The price of Premium in dollars a month.',
    access: 'visitor',
    response: z.object({ price: z.number() }),
    errors: [],
  }),
  contact: endpoint({
    method: 'GET',
    path: '/api/settings/contact',
    summary: 'Where people write to for help.',
    access: 'visitor',
    response: z.object({ supportEmail: z.string() }),
    errors: [],
  }),
}
