import { z } from 'zod'
import { isStorableText } from '../rules/format/text.ts'
import { choiceSettings, settingKeys } from '../rules/tiers/admin-settings.ts'
import { tiers } from '../rules/tiers/tier.ts'
import { endpoint } from './endpoint.ts'
import { numberOfDays } from './fields.ts'

/** Browsers cache these responses for 5 minutes (spec §7). */
const cacheSeconds = 300

/** The current limits of each tier (spec §9). */
export const limitsSchema = z.record(
  z.enum(tiers),
  z.object({
    maxFiles: z.int().positive().nullable().describe('At the same time; null for no limit.'),
    maxFileSize: z.int().positive().describe('In bytes.'),
    expirationDays: z.array(numberOfDays).min(1).readonly().describe('The choices for a link.'),
    maxLifetimeDays: numberOfDays.describe('How long a file exists at most, even if renewed.'),
  }),
)

const settingBody = z.object({
  key: z.enum(settingKeys),
  value: z.union([z.string(), z.number()]).transform(String),
  description: z.string().max(500).refine(isStorableText, 'Must be plain text.').optional(),
})

type SettingBody = z.input<typeof settingBody>

/**
 * Replaces a value of the wrong type with an empty string. `checkSetting` rejects that with a
 * message that lists the allowed values, which a schema error couldn't do.
 * @param body not validated yet, despite its type.
 */
function replaceInvalidValue(body: SettingBody): SettingBody {
  if (typeof body !== 'object' || body === null) return body
  const isValid = typeof body.value === 'string' || Number.isFinite(body.value)
  return isValid ? body : { ...body, value: '' }
}

export const settings = {
  emailSignature: endpoint('GET', '/api/settings/email-signature', {
    summary: 'Get the signature of emails',
    access: 'visitor',
    response: z.object({ signature: z.string() }),
    cacheSeconds,
  }),
  version: endpoint('GET', '/api/settings/version', {
    summary: 'Get the version that pages show',
    access: 'visitor',
    response: z.object({ version: z.string() }),
    cacheSeconds,
  }),
  premiumPrice: endpoint('GET', '/api/settings/premium-price', {
    summary: 'Get the price of Premium in dollars per month',
    access: 'visitor',
    response: z.object({ price: z.number() }),
    cacheSeconds,
  }),
  limits: endpoint('GET', '/api/settings/limits', {
    summary: 'Get the limits of each tier',
    access: 'visitor',
    response: limitsSchema,
    cacheSeconds,
  }),
  contact: endpoint('GET', '/api/settings/contact', {
    summary: 'Get the support address, or null if none is set',
    access: 'visitor',
    response: z.object({ supportEmail: z.string().nullable() }),
    cacheSeconds,
  }),
  features: endpoint('GET', '/api/settings/features', {
    summary: 'Get who can use the features that the administrator can turn off',
    access: 'visitor',
    response: z.object({
      requests: z.enum(choiceSettings.requests),
      sendByEmail: z.enum(choiceSettings.send_by_email),
    }),
    cacheSeconds,
  }),
  adminSettings: endpoint('GET', '/api/admin/settings', {
    summary: 'Get all settings from the database',
    access: 'admin',
    response: z.object({ values: z.record(z.enum(settingKeys), z.string()) }),
  }),
  changeSetting: endpoint('POST', '/api/admin/settings', {
    summary:
      'Change a setting. Sizes are bytes or text such as `500MB`; days are text such as `3, 5, 7`',
    access: 'admin',
    body: z.preprocess(replaceInvalidValue, settingBody),
    response: z.object({ key: z.enum(settingKeys), value: z.string(), description: z.string() }),
  }),
}
