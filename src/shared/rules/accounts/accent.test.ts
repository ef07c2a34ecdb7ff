import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  accentPairs,
  backgrounds,
  contrast,
  isColor,
  shapeContrast,
  textContrast,
  themes,
} from './accent.ts'

const colors = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

/** Returns the hue in degrees as in HSL, or null for grays. */
function hueOf(color: string): number | null {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const most = Math.max(r, g, b)
  const spread = most - Math.min(r, g, b)
  if (spread === 0) return null
  const sixth =
    most === r ? (g - b) / spread : most === g ? 2 + (b - r) / spread : 4 + (r - g) / spread
  return (sixth * 60 + 360) % 360
}

describe('contrast', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#0b6e63', '#ffffff', 6.13],
  ])('between %s and %s is %d', (one, other, expected) => {
    expect(contrast(one, other)).toBeCloseTo(expected, 2)
    expect(contrast(other, one)).toBe(contrast(one, other))
  })
})

describe('accentPairs', () => {
  it.each([
    ['the default accent', '#0b6e63', '#0b6e63', '#ffffff', '#147469', '#ffffff'],
    ['a yellow', '#ffd400', '#a98c00', '#000000', '#ffd400', '#000000'],
    ['a red that works in both', '#e11d48', '#e11d48', '#ffffff', '#e11d48', '#ffffff'],
    ['a dark blue', '#1e3a8a', '#1e3a8a', '#ffffff', '#4f65a3', '#ffffff'],
    ['black', '#000000', '#000000', '#ffffff', '#676767', '#ffffff'],
    ['white', '#ffffff', '#8e8e8e', '#000000', '#ffffff', '#000000'],
    ['a gray that works in both', '#808080', '#808080', '#000000', '#808080', '#000000'],
  ])('adapts %s to both themes', (_name, chosen, light, onLight, dark, onDark) => {
    expect(accentPairs(chosen)).toEqual({
      light: { accent: light, onAccent: onLight },
      dark: { accent: dark, onAccent: onDark },
    })
  })

  it('makes any color stand out from the page, with readable text on it, in both themes', () => {
    fc.assert(
      fc.property(colors, (chosen) => {
        const pairs = accentPairs(chosen)
        for (const theme of themes) {
          const { accent, onAccent } = pairs[theme]
          expect(isColor(accent)).toBe(true)
          expect(contrast(accent, onAccent)).toBeGreaterThanOrEqual(textContrast)
          for (const background of backgrounds[theme]) {
            expect(contrast(accent, background)).toBeGreaterThanOrEqual(shapeContrast)
          }
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('changes a color only if necessary, and no further than the required contrast', () => {
    fc.assert(
      fc.property(colors, (chosen) => {
        const pairs = accentPairs(chosen)
        for (const theme of themes) {
          const least = Math.min(
            ...backgrounds[theme].map((background) => contrast(chosen, background)),
          )
          const { accent } = pairs[theme]
          if (least >= shapeContrast) expect(accent).toBe(chosen)
          else {
            const now = Math.min(
              ...backgrounds[theme].map((background) => contrast(accent, background)),
            )
            expect(now).toBeLessThan(shapeContrast + 0.15)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('leaves an adapted color unchanged', () => {
    fc.assert(
      fc.property(colors, (chosen) => {
        const { light, dark } = accentPairs(chosen)
        expect(accentPairs(light.accent).light).toEqual(light)
        expect(accentPairs(dark.accent).dark).toEqual(dark)
      }),
    )
  })

  it.each(['#ffd400', '#e11d48', '#1e3a8a', '#16a34a', '#7c3aed', '#0ea5e9'])(
    'keeps the hue of %s',
    (chosen) => {
      for (const { accent } of Object.values(accentPairs(chosen))) {
        const [before, after] = [hueOf(chosen), hueOf(accent)]
        const apart = Math.abs((before ?? Number.NaN) - (after ?? Number.NaN))
        expect(Math.min(apart, 360 - apart)).toBeLessThan(25)
      }
    },
  )

  it.each(['', '#fff', '#FFFFFF', '0b6e63', '#0b6e6', '#0b6e63;}', 'red', '#0b6e6g'])(
    'rejects %j',
    (text) => {
      expect(isColor(text)).toBe(false)
      expect(() => accentPairs(text)).toThrow(RangeError)
    },
  )
})

it('the backgrounds match the style sheet', async () => {
  const css = await readFile(new URL('../../../web/ui/tokens.css', import.meta.url), 'utf8')
  const [light = '', dark = ''] = css.split('[data-theme="dark"]')
  for (const [theme, text] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    const named = ['paper', 'surface'].map(
      (name) => new RegExp(`--${name}: (#\\w+)`).exec(text)?.[1],
    )
    expect(named).toEqual(backgrounds[theme])
  }
})
