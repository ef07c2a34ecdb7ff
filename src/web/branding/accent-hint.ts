import { accentPairs } from '../../shared/rules/accounts/accent.ts'

/**
 * Returns a sentence for the user if pages show the chosen colour darker or lighter. Returns null
 * if they show exactly this colour.
 */
export function accentHint(chosen: string): string | null {
  const { light, dark } = accentPairs(chosen)
  const isDarker = light.accent !== chosen
  const isLighter = dark.accent !== chosen
  if (!isDarker && !isLighter) return null
  if (isDarker && isLighter) return 'Shown darker in the light theme and lighter in the dark one.'
  return isDarker
    ? 'Shown darker in the light theme, where it would be hard to see.'
    : 'Shown lighter in the dark theme, where it would be hard to see.'
}
