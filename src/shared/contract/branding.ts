import { z } from 'zod'
import { isColor } from '../rules/accounts/accent.ts'
import { formatSizeLimit } from '../rules/format/file-size.ts'
import { hasVisibleCharacter, isPlainLine } from '../rules/format/text.ts'
import { endpoint } from './endpoint.ts'
import { messageResponse } from './fields.ts'

/**
 * Image formats accepted for logos. The format is detected from the bytes; the file name is
 * ignored.
 */
export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const

/** Maximum size of an uploaded logo, in bytes. */
export const maxLogoBytes = 1024 ** 2

/** Maximum width and height of a logo, in pixels. */
export const maxLogoSide = 4096

export const maxBrandNameLength = 60
export const maxBrandMessageLength = 280
const maxMessageLines = 8

const name = z
  .string()
  .trim()
  .normalize()
  .min(1, 'Please enter a name.')
  .max(maxBrandNameLength, `Must have ${maxBrandNameLength} characters at most.`)
  .refine(isPlainLine, 'Must be text in one line.')
  .refine((text) => text === '' || hasVisibleCharacter(text), 'Please enter a name.')

const message = z
  .string()
  .transform((text) => text.replaceAll(/\r\n?/g, '\n').replaceAll(/\n{3,}/g, '\n\n'))
  .pipe(
    z
      .string()
      .trim()
      .normalize()
      .max(maxBrandMessageLength, `Must have ${maxBrandMessageLength} characters at most.`)
      .refine((text) => text.split('\n').every(isPlainLine), 'Must be text.')
      .refine((text) => text === '' || hasVisibleCharacter(text), 'Must be text.')
      .refine(
        (text) => text.split('\n').length <= maxMessageLines,
        `Must have ${maxMessageLines} lines at most.`,
      ),
  )

const accent = z.string().toLowerCase().refine(isColor, 'Must be a color such as #0b6e63.')

/** The brand shown on an owner's download pages in place of ours. */
export const brandSchema = z.object({
  name: z.string().describe('Empty if there is only a logo.'),
  accent: z.string().nullable().describe('The color of buttons and bars, as `#rrggbb`.'),
  message: z.string(),
  logoUrl: z.string().nullable().describe('The URL of a PNG.'),
})
export type Brand = z.infer<typeof brandSchema>

export const branding = {
  getBranding: endpoint('GET', '/api/branding', {
    summary: 'Get your brand, or null (premium)',
    access: 'user',
    response: brandSchema.nullable(),
    errors: ['TIER_BRANDING'],
  }),
  saveBranding: endpoint('PUT', '/api/branding', {
    summary: 'Replace name, accent color and message of your brand (premium)',
    access: 'user',
    body: z.object({
      name,
      accent: accent.nullable().default(null),
      message: message.default(''),
    }),
    response: brandSchema,
    errors: ['TIER_BRANDING'],
  }),
  removeBranding: endpoint('DELETE', '/api/branding', {
    summary: 'Remove your brand and its logo (premium). Idempotent',
    access: 'user',
    response: messageResponse,
    errors: ['TIER_BRANDING'],
  }),
  saveLogo: endpoint('PUT', '/api/branding/logo', {
    summary: `Save your logo, a PNG, JPEG or WebP of up to ${formatSizeLimit(maxLogoBytes)} (premium)`,
    access: 'user',
    bytes: { types: logoTypes, maxSize: maxLogoBytes },
    response: brandSchema,
    errors: ['TIER_BRANDING', 'LOGO_UNREADABLE', 'LOGOS_BUSY'],
  }),
  removeLogo: endpoint('DELETE', '/api/branding/logo', {
    summary: 'Remove your logo (premium). Idempotent',
    access: 'user',
    response: brandSchema.nullable(),
    errors: ['TIER_BRANDING'],
  }),
  logo: endpoint('GET', '/api/branding/logo/{key}', {
    summary: 'Get a logo as a PNG',
    access: 'visitor',
    params: z.object({ key: z.string() }),
    response: { raw: 'png' },
    errors: ['NOT_FOUND'],
  }),
}
