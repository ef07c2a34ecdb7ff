import type { BrandCondition } from '../../shared/placeholders.ts'
import { type AccentPair, accentPairs } from '../../shared/rules/accounts/accent.ts'
import { type BrandRow, logoPath } from '../branding/queries.ts'

export function brandConditions(brand: BrandRow | null): BrandCondition[] {
  if (brand === null) return ['plain']
  const { name, message, accent, logoKey } = brand
  return [
    'branded',
    ...(name ? (['brandName'] as const) : []),
    ...(message ? (['brandMessage'] as const) : []),
    ...(accent ? (['accent'] as const) : []),
    ...(logoKey ? (['logo'] as const) : []),
  ]
}

/** A logo's maximum size in CSS pixels, as in the style sheet's `.brand` rule. */
const logoBox = { width: 160, height: 36 }

/** The values of a page's placeholders for the owner's brand, or for ours. */
export function brandValues(brand: BrandRow | null) {
  const { name = '', message = '', logoKey, logoWidth, logoHeight } = brand ?? {}
  const [width, height] = [logoWidth ?? 1, logoHeight ?? 1]
  const scale = Math.min(1, logoBox.width / width, logoBox.height / height)
  return {
    site: name || 'Mayfly',
    lead: message ? `${message.replaceAll(/\s+/g, ' ')} · ` : '',
    brandName: name,
    brandMessage: message,
    logoPath: logoKey ? logoPath(logoKey) : '',
    logoWidth: String(Math.max(1, Math.round(width * scale))),
    logoHeight: String(Math.max(1, Math.round(height * scale))),
    // Next to a name, the logo is decorative. Alternative text would make screen readers read the
    // name twice.
    logoAlt: name ? '' : 'The logo of the sender',
  }
}

/**
 * Returns the CSS rules for a brand's accent color, adjusted for contrast in each theme, or an
 * empty string.
 */
export function accentStyle(brand: BrandRow | null): string {
  if (!brand?.accent) return ''
  const { light, dark } = accentPairs(brand.accent)
  const rule = (selector: string, { accent, onAccent }: AccentPair) =>
    `${selector}{--accent:${accent};--on-accent:${onAccent}}`
  return rule(':root', light) + rule('[data-theme=dark]', dark)
}
