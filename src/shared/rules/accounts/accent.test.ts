import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  accentPairs,
  backgrounds,
  contrast,
  isColor,
  minShapeContrast,
  minTextContrast,
  themes,
} from './accent.ts'

const anyColor = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

/** Returns the hue in degrees, as in HSL. Null for grays. */
function getHue(color: string): number | null {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) =>
    Number.parseInt(color.slice(start, start + 2), 16),
  )
  const max = Math.max(r, g, b)
  const chroma = max - Math.min(r, g, b)
  if (chroma === 0) return null
  const sector =
    max === r ? (g - b) / chroma : max === g ? 2 + (b - r) / chroma : 4 + (r - g) / chroma
  return (sector * 60 + 360) % 360
}

describe('contrast', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#0b6e63', '#ffffff', 6.13],
  ])('between %s and %s is %d', (colorA, colorB, expected) => {
    expect(contrast(colorA, colorB)).toBeCloseTo(expected, 2)
    expect(contrast(colorB, colorA)).toBe(contrast(colorA, colorB))
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
  ])('adapts %s to both themes', (_name, color, light, textOnLight, dark, textOnDark) => {
    expect(accentPairs(color)).toEqual({
      light: { accent: light, onAccent: textOnLight },
      dark: { accent: dark, onAccent: textOnDark },
    })
  })

  it('makes any color stand out from the page and the text on it readable, in both themes', () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const pairs = accentPairs(color)
        for (const theme of themes) {
          const { accent, onAccent } = pairs[theme]
          expect(isColor(accent)).toBe(true)
          expect(contrast(accent, onAccent)).toBeGreaterThanOrEqual(minTextContrast)
          for (const background of backgrounds[theme]) {
            expect(contrast(accent, background)).toBeGreaterThanOrEqual(minShapeContrast)
          }
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('changes a color only if necessary, and only as much as the contrast requires', () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const pairs = accentPairs(color)
        for (const theme of themes) {
          const minContrast = Math.min(
            ...backgrounds[theme].map((background) => contrast(color, background)),
          )
          const { accent } = pairs[theme]
          if (minContrast >= minShapeContrast) expect(accent).toBe(color)
          else {
            const adaptedContrast = Math.min(
              ...backgrounds[theme].map((background) => contrast(accent, background)),
            )
            expect(adaptedContrast).toBeLessThan(minShapeContrast + 0.15)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('leaves an already adapted color unchanged', () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const { light, dark } = accentPairs(color)
        expect(accentPairs(light.accent).light).toEqual(light)
        expect(accentPairs(dark.accent).dark).toEqual(dark)
      }),
    )
  })

  it.each(['#ffd400', '#e11d48', '#1e3a8a', '#16a34a', '#7c3aed', '#0ea5e9'])(
    'keeps the hue of %s',
    (color) => {
      for (const { accent } of Object.values(accentPairs(color))) {
        const [before, after] = [getHue(color), getHue(accent)]
        const difference = Math.abs((before ?? Number.NaN) - (after ?? Number.NaN))
        expect(Math.min(difference, 360 - difference)).toBeLessThan(25)
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
  const [lightCss = '', darkCss = ''] = css.split('[data-theme="dark"]')
  for (const [theme, text] of [
    ['light', lightCss],
    ['dark', darkCss],
  ] as const) {
    const declaredColors = ['paper', 'surface'].map(
      (name) => new RegExp(`--${name}: (#\\w+)`).exec(text)?.[1],
    )
    expect(declaredColors).toEqual(backgrounds[theme])
  }
})
