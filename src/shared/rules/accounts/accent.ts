import type { Theme } from './theme.ts'

/**
 * Adapts a brand's accent colour to both themes. The owner chooses one colour. A page shows that
 * colour, or the nearest colour of the same hue that has enough contrast with the page.
 */

/**
 * The background colours of pages and cards, on which an accent is shown. They are also in
 * `src/web/ui/tokens.css`.
 */
export const grounds: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#f7f6f3', '#ffffff'],
  dark: ['#111312', '#1a1d1b'],
}

/** WCAG 2.2, 1.4.11: the least contrast of a graphic or a button's edge with its background. */
export const shapeContrast = 3
/** WCAG 2.2, 1.4.3: the least contrast of text with its background. */
export const textContrast = 4.5

/** An accent as a page shows it in one theme, and the colour of text on it. Both are `#rrggbb`. */
export interface AccentPair {
  accent: string
  onAccent: string
}

const colourPattern = /^#[0-9a-f]{6}$/

/** True for a colour as this module accepts it: `#rrggbb` in lower case. */
export function isColour(text: string): boolean {
  return colourPattern.test(text)
}

/** Red, green and blue, each from 0 to 1. */
type Rgb = readonly [number, number, number]

/**
 * Returns the accent for each theme. Its contrast is 3 or more with the backgrounds of its theme,
 * and 4.5 or more with the text on it. A chosen colour that satisfies this is not changed.
 * Otherwise it becomes darker in the light theme and lighter in the dark one, as little as needed.
 * Its hue does not change.
 * @throws {RangeError} for a text that is not a colour.
 */
export function accentPairs(chosen: string): Record<Theme, AccentPair> {
  if (!isColour(chosen)) throw new RangeError(`Not a colour: ${chosen}`)
  return { light: accentPair(chosen, 'light'), dark: accentPair(chosen, 'dark') }
}

function accentPair(chosen: string, theme: Theme): AccentPair {
  const accent = standsOut(chosen, theme) ? chosen : nearestThatStandsOut(chosen, theme)
  return { accent, onAccent: textOn(accent) }
}

/**
 * Returns white where it can be read, otherwise black. Black can be read then: the two contrasts
 * multiply to 21, so if white has less than 4.5, black has more.
 */
function textOn(accent: string): string {
  return contrast('#ffffff', accent) >= textContrast ? '#ffffff' : '#000000'
}

function standsOut(colour: string, theme: Theme): boolean {
  return grounds[theme].every((ground) => contrast(colour, ground) >= shapeContrast)
}

/** Returns the contrast of two colours as WCAG 2.2 defines it, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = toLinear(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/**
 * Returns the colour of the same hue whose lightness is nearest to the chosen colour's and which
 * has enough contrast. Bisection finds it between the chosen colour and black or white, which
 * always has enough contrast.
 */
function nearestThatStandsOut(chosen: string, theme: Theme): string {
  const [lightness, a, b] = toOklab(toLinear(chosen))
  let failing = lightness
  let fitting = theme === 'light' ? 0 : 1
  let found = theme === 'light' ? '#000000' : '#ffffff'
  for (let step = 0; step < 12; step += 1) {
    const middle = (failing + fitting) / 2
    const colour = displayable(middle, a, b)
    if (standsOut(colour, theme)) {
      fitting = middle
      found = colour
    } else failing = middle
  }
  return found
}

/**
 * Returns the colour of this lightness and hue. If a display cannot show it, the colour becomes
 * paler until the display can.
 */
function displayable(lightness: number, a: number, b: number): string {
  let most = 1
  if (!isInGamut(fromOklab([lightness, a, b]))) {
    let least = 0
    for (let step = 0; step < 12; step += 1) {
      const part = (least + most) / 2
      if (isInGamut(fromOklab([lightness, a * part, b * part]))) least = part
      else most = part
    }
    most = least
  }
  return toHex(fromOklab([lightness, a * most, b * most]))
}

function isInGamut(rgb: Rgb): boolean {
  return rgb.every((value) => value >= -0.0001 && value <= 1.0001)
}

/** Converts an sRGB colour to linear light, by removing its gamma. */
function toLinear(colour: string): Rgb {
  const value = (at: number) => {
    const coded = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4
  }
  return [value(1), value(3), value(5)]
}

function toHex(linear: Rgb): string {
  const pair = (light: number) => {
    const bounded = Math.min(1, Math.max(0, light))
    const coded = bounded <= 0.0031308 ? bounded * 12.92 : 1.055 * bounded ** (1 / 2.4) - 0.055
    return Math.round(coded * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${linear.map(pair).join('')}`
}

/**
 * A colour in Oklab (B. Ottosson, 2020): its lightness, and two axes whose direction is the hue.
 */
type Oklab = readonly [number, number, number]

function toOklab([red, green, blue]: Rgb): Oklab {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

function fromOklab([lightness, a, b]: Oklab): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}
