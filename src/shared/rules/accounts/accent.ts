export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The background colors of pages and cards, as defined in `src/web/ui/tokens.css`. */
export const backgrounds: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#f7f6f3', '#ffffff'],
  dark: ['#111312', '#1a1d1b'],
}

/** Minimum contrast of graphics and button edges (WCAG 2.2, 1.4.11). */
export const minShapeContrast = 3
/** Minimum contrast of text (WCAG 2.2, 1.4.3). */
export const minTextContrast = 4.5

/**
 * The accent color for one theme, and the color of text on top of it. Both are in the form
 * `#rrggbb`.
 */
export interface AccentPair {
  accent: string
  onAccent: string
}

/** True for a color in the form `#rrggbb`, in lower case. */
export function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/.test(text)
}

/**
 * Returns an accent color for each theme: the chosen color, mixed with just enough black or white
 * to stand out from the theme's backgrounds. Preserves the hue.
 * @throws {RangeError} if the text is not a color.
 */
export function accentPairs(color: string): Record<Theme, AccentPair> {
  if (!isColor(color)) throw new RangeError(`Not a color: ${color}`)
  return { light: accentPair(color, 'light'), dark: accentPair(color, 'dark') }
}

function accentPair(color: string, theme: Theme): AccentPair {
  const accent = hasShapeContrast(color, theme) ? color : findContrastingMix(color, theme)
  // Either white or black always has enough contrast, because their contrast ratios with any color
  // multiply to 21.
  const onAccent = contrast('#ffffff', accent) >= minTextContrast ? '#ffffff' : '#000000'
  return { accent, onAccent }
}

function hasShapeContrast(color: string, theme: Theme): boolean {
  return backgrounds[theme].every((background) => contrast(color, background) >= minShapeContrast)
}

/**
 * Finds the smallest sufficient fraction of black or white. Bisection works because contrast grows
 * with the fraction.
 */
function findContrastingMix(color: string, theme: Theme): string {
  const target = theme === 'light' ? 0 : 1
  const mixColor = (fraction: number) =>
    toHex(toChannels(color).map((value) => value + (target - value) * fraction))
  let [low, high] = [0, 1]
  for (let step = 0; step < 10; step += 1) {
    const fraction = (low + high) / 2
    if (hasShapeContrast(mixColor(fraction), theme)) high = fraction
    else low = fraction
  }
  return mixColor(high)
}

/** Returns the contrast ratio of two colors as defined by WCAG 2.2, from 1 to 21. */
export function contrast(colorA: string, colorB: string): number {
  const [darker = 0, lighter = 0] = [luminance(colorA), luminance(colorB)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = toChannels(color).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns red, green and blue as numbers from 0 to 1. */
function toChannels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
}

function toHex(rgb: readonly number[]): string {
  const toHexPair = (value: number) =>
    Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  return `#${rgb.map(toHexPair).join('')}`
}
