import { z } from 'zod'
import { settingKeys } from '../rules/tiers/admin-settings.ts'
import { tiers } from '../rules/tiers/tier.ts'
import { endpoint } from './endpoint.ts'
import { daysOfTier, fitsDatabase } from './fields.ts'

/** Spec §7: browsers keep these answers for 5 minutes. */
const cacheSeconds = 300

/**
 * The current limits of each tier (spec §9). If `maxFiles` is null, the number of files has no
 * limit.
 */
export const limitsSchema = z.record(
  z.enum(tiers),
  z.object({
    maxFiles: z.int().positive().nullable(),
    /** The size in bytes. */
    maxFileSize: z.int().positive(),
    /** The days from which a user can choose. */
    expirationDays: z.array(daysOfTier).min(1).readonly(),
    /** How many days a file is kept at most after its upload, even if its link is renewed. */
    maxLifetimeDays: daysOfTier,
  }),
)

const settingBody = z.object({
  key: z.enum(settingKeys),
  value: z.union([z.string(), z.number()]).transform(String),
  description: z.string().max(500).refine(fitsDatabase, 'Must be plain text.').optional(),
})

type SettingBody = z.input<typeof settingBody>

/**
 * Turns a value that is neither text nor a number into an empty text. No setting allows an empty
 * text, so `checkSetting` then refuses it, and its message names the bound of this setting. The
 * schema's own message could not.
 * @param body anything that a client sent, although the type says what it should be.
 */
function withReadableValue(body: SettingBody): SettingBody {
  if (typeof body !== 'object' || body === null) return body
  const isReadable = typeof body.value === 'string' || Number.isFinite(body.value)
  return isReadable ? body : { ...body, value: '' }
}

export const settings = {
  emailSignature: endpoint({
    method: 'GET',
    path: '/api/settings/email-signature',
    summary: 'The signature under every email of the server, and under those that share a link.',
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
  limits: endpoint({
    method: 'GET',
    path: '/api/settings/limits',
    summary:
      'The limits of each tier: files, bytes of a file, days to choose from, days that a file is kept at most. A change holds for uploads that start after it.',
    access: 'visitor',
    response: limitsSchema,
    errors: [],
    cacheSeconds,
  }),
  contact: endpoint({
    method: 'GET',
    path: '/api/settings/contact',
    summary:
      'Where people write to for help. `supportEmail` is null if no address is set: the feedback form is there then.',
    access: 'visitor',
    response: z.object({ supportEmail: z.string().nullable() }),
    errors: [],
    cacheSeconds,
  }),
  adminSettings: endpoint({
    method: 'GET',
    path: '/api/admin/settings',
    summary:
      'All settings that are in force, as they are stored. They are read from the database, so a change that was made on another server is there at once.',
    access: 'admin',
    response: z.object({ values: z.record(z.enum(settingKeys), z.string()) }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  changeSetting: endpoint({
    method: 'POST',
    path: '/api/admin/settings',
    summary:
      'Change a setting: the price, the version text, the signature under emails, a limit of a tier, or what caps all accounts together. Sizes are bytes, or text such as `500MB`; days are text such as `3, 5, 7`. What breaks a bound is refused with a sentence that names it.',
    access: 'admin',
    body: z.preprocess(withReadableValue, settingBody),
    response: z.object({ key: z.enum(settingKeys), value: z.string(), description: z.string() }),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
}
