import { z } from 'zod'
import { isColour } from '../rules/accounts/accent.ts'
import { logoTypes, maxLogoBytes } from '../rules/accounts/logo-limits.ts'
import { formatSizeLimit } from '../rules/format/file-size.ts'
import { endpoint } from './endpoint.ts'
import { done, isPlainLine } from './fields.ts'

export const maxBrandNameLength = 60
export const maxBrandMessageLength = 280
const maxMessageLines = 8

/** A character that a reader can see. A name of invisible characters would look empty. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u

/**
 * One line of text. Characters that reorder text are refused, because they could mislead readers of
 * the page.
 */
const name = z
  .string()
  .trim()
  .normalize()
  .min(1, 'Please enter a name.')
  .max(maxBrandNameLength, `Must have ${maxBrandNameLength} characters at most.`)
  .refine(isPlainLine, 'Must be text in one line.')
  .refine((text) => text === '' || visible.test(text), 'Please enter a name.')

/** A text of a few lines, without characters that reorder text. An empty text means no message. */
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
      .refine((text) => text === '' || visible.test(text), 'Must be text.')
      .refine(
        (text) => text.split('\n').length <= maxMessageLines,
        `Must have ${maxMessageLines} lines at most.`,
      ),
  )

const accent = z.string().toLowerCase().refine(isColour, 'Must be a colour such as #0b6e63.')

/** What an owner's download pages show in place of the brand of Mayfly. */
export const brandSchema = z.object({
  /** Empty if the owner gave only a logo. */
  name: z.string(),
  /**
   * The colour as the owner chose it, `#rrggbb`; null for the colour of Mayfly. Pages adapt it to
   * their theme by `accentPairs`.
   */
  accent: z.string().nullable(),
  message: z.string(),
  /** The absolute URL of a PNG; null without a logo. */
  logoUrl: z.string().nullable(),
})
export type Brand = z.infer<typeof brandSchema>

/**
 * The calls that read and change a brand: the name, accent colour, message and logo of the download
 * pages of a Premium user.
 */
export const branding = {
  getBranding: endpoint({
    method: 'GET',
    path: '/api/branding',
    summary: "The brand of the caller's download pages; null where there is none.",
    access: 'user',
    response: brandSchema.nullable(),
    errors: ['UNAUTHORIZED', 'TIER_BRANDING'],
  }),
  saveBranding: endpoint({
    method: 'PUT',
    path: '/api/branding',
    summary: 'Save name, accent colour and message; what is left out is emptied. The logo stays.',
    access: 'user',
    body: z.object({
      name,
      accent: accent.nullable().default(null),
      message: message.default(''),
    }),
    response: brandSchema,
    errors: ['UNAUTHORIZED', 'TIER_BRANDING'],
  }),
  removeBranding: endpoint({
    method: 'DELETE',
    path: '/api/branding',
    summary: 'Remove the brand, the logo too. Without one it succeeds as well.',
    access: 'user',
    response: done,
    errors: ['UNAUTHORIZED', 'TIER_BRANDING'],
  }),
  saveLogo: endpoint({
    method: 'PUT',
    path: '/api/branding/logo',
    summary: `Save the logo: the bytes of a PNG, a JPEG or a WebP, at most ${formatSizeLimit(maxLogoBytes)}. It is served as a small PNG.`,
    access: 'user',
    bytes: { types: logoTypes, maxSize: maxLogoBytes },
    response: brandSchema,
    errors: ['UNAUTHORIZED', 'TIER_BRANDING', 'LOGO_UNREADABLE', 'LOGOS_BUSY'],
  }),
  removeLogo: endpoint({
    method: 'DELETE',
    path: '/api/branding/logo',
    summary: 'Remove the logo alone; answers what stays. Without one it succeeds as well.',
    access: 'user',
    response: brandSchema.nullable(),
    errors: ['UNAUTHORIZED', 'TIER_BRANDING'],
  }),
  logo: endpoint({
    method: 'GET',
    path: '/api/branding/logo/{key}',
    summary: 'The PNG of a logo, while its owner may show it.',
    access: 'visitor',
    params: z.object({ key: z.string() }),
    response: { raw: 'png' },
    errors: ['NOT_FOUND'],
  }),
}
