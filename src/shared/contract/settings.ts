import { z } from 'zod'
import { longestSignature, settingKeys } from '../rules/admin-settings.ts'
import { endpoint } from './endpoint.ts'
import { fitsDatabase } from './fields.ts'

/** Spec §7: browsers keep these answers for 5 minutes. */
const cacheSeconds = 300

export const settings = {
  emailSignature: endpoint({
    method: 'GET',
    path: '/api/settings/email-signature',
    summary: 'The signature under mails that share a link.',
    access: 'visitor',
    response: z.object({ signature: z.string() }),
    errors: [],
    cacheSeconds,
  }),
  version: endpoint({
    method: 'GET',
    path: '/api/settings/version',
    summary: 'The version text that the pages show.',
    access: 'visitor',
    response: z.object({ version: z.string() }),
    errors: [],
    cacheSeconds,
  }),
  premiumPrice: endpoint({
    method: 'GET',
    path: '/api/settings/premium-price',
    summary: 'The price of Premium in dollars a month.',
    access: 'visitor',
    response: z.object({ price: z.number() }),
    errors: [],
    cacheSeconds,
  }),
  contact: endpoint({
    method: 'GET',
    path: '/api/settings/contact',
    summary: 'Where people write to for help.',
    access: 'visitor',
    response: z.object({ supportEmail: z.string() }),
    errors: [],
    cacheSeconds,
  }),
  changeSetting: endpoint({
    method: 'POST',
    path: '/api/admin/settings',
    summary:
      'Change a setting: the price (`premium_price`), the version text (`app_version`) or the signature under mails (`email_signature`).',
    access: 'admin',
    body: z.object({
      key: z.enum(settingKeys),
      // The exact limits differ for each setting: see `checkSetting`.
      value: z.union([z.string().max(2 * longestSignature), z.number()]).transform(String),
      description: z.string().max(500).refine(fitsDatabase, 'Must be plain text.').optional(),
    }),
    response: z.object({ key: z.enum(settingKeys), value: z.string(), description: z.string() }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
}
