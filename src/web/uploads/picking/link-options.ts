import { type LinkOptions, linkOptionsSchema } from '../../../shared/contract/links.ts'
import { groupDigits } from '../../../shared/rules/format/numbers.ts'
import { maxDownloadLimit } from '../../../shared/rules/links/link-limits.ts'
import { type FieldErrors, messagesByField } from '../../ui/form.tsx'

/** Returns the options that the user has entered, or the errors of the invalid fields. */
export function readLinkOptions({ maxDownloads, ...texts }: Record<string, string>): {
  options?: LinkOptions
  errors: FieldErrors
} {
  const values = { ...texts, ...(maxDownloads && { maxDownloads: Number(maxDownloads) }) }
  const { data: options, error } = linkOptionsSchema.safeParse(values)
  if (options) return { options, errors: {} }
  const messages = messagesByField(error?.issues)
  const limitText = `Enter a whole number from 1 to ${groupDigits(maxDownloadLimit)}.`
  return { errors: { ...messages, ...(messages.maxDownloads && { maxDownloads: limitText }) } }
}
