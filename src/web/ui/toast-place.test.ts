import { describe, expect, test } from 'vitest'
import { freeTop } from './toast-place.ts'

/** Places a toast of 100 px that would begin at 68, in a window of 500. */
function place(...taken: readonly (readonly [top: number, bottom: number])[]): number {
  return freeTop(
    100,
    { from: 68, until: 500 },
    taken.map(([top, bottom]) => ({ top, bottom })),
  )
}

describe('a toast', () => {
  test('stays where it is while it covers no button', () => {
    expect(place()).toBe(68)
    expect(place([10, 54], [168, 200])).toBe(68)
  })

  test('moves below the buttons that it would cover, to where it covers no others', () => {
    expect(place([140, 180])).toBe(188)
    expect(place([140, 180], [200, 240], [360, 400])).toBe(248)
    expect(place([360, 400], [200, 240], [140, 180])).toBe(248)
    expect(place([140, 260], [150, 170])).toBe(268)
  })

  test('stays where it is if there is no room for it further down', () => {
    expect(place([140, 180], [260, 300], [380, 420])).toBe(68)
  })
})
