import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { daysOfTier, expirationDays } from './fields.ts'

const preferencesAnswer = z.object({
  defaultExpirationDays: daysOfTier,
  mailOnFirstDownload: z.boolean(),
  mailBeforeExpiry: z.boolean(),
})

export const preferences = {
  preferences: endpoint({
    method: 'GET',
    path: '/api/preferences',
    summary:
      "The caller's settings of the File Manager: the first choice of days for new uploads, and which emails to send.",
    access: 'user',
    response: preferencesAnswer,
    errors: ['UNAUTHORIZED'],
  }),
  changePreferences: endpoint({
    method: 'PATCH',
    path: '/api/preferences',
    summary: "Change some of the caller's settings of the File Manager (premium).",
    access: 'user',
    // A misspelled field must not be ignored, because the caller would believe that it was set.
    body: z.strictObject({
      defaultExpirationDays: expirationDays.optional(),
      mailOnFirstDownload: z.boolean().optional(),
      mailBeforeExpiry: z.boolean().optional(),
    }),
    response: preferencesAnswer,
    errors: ['UNAUTHORIZED', 'TIER_FILE_MANAGER', 'TIER_EXPIRATION'],
  }),
}
