import { formatSizeLimit } from '../../shared/rules/file-size.ts'
import { logoTypes, maxLogoBytes } from '../../shared/rules/logo-limits.ts'

/**
 * Returns why a chosen file is no logo, as far as a browser can tell; null where it may be one. The
 * server looks at the bytes.
 */
export function logoFault({ size, type }: Pick<File, 'size' | 'type'>): string | null {
  if (!logoTypes.some((known) => known === type)) return 'Please take a PNG, a JPEG or a WebP.'
  return size > maxLogoBytes
    ? `The picture may have ${formatSizeLimit(maxLogoBytes)} at most.`
    : null
}
