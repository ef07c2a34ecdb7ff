import { logoTypes, maxLogoBytes } from '../../shared/rules/accounts/logo-limits.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'

/**
 * Returns why a chosen file cannot be a logo; null if it may be one. A browser knows only the type
 * and the size of the file. The server checks the bytes.
 */
export function logoFault({ size, type }: Pick<File, 'size' | 'type'>): string | null {
  if (!logoTypes.some((known) => known === type)) return 'Please take a PNG, a JPEG or a WebP.'
  return size > maxLogoBytes
    ? `The picture may have ${formatSizeLimit(maxLogoBytes)} at most.`
    : null
}
