import { describe, expect, it } from 'vitest'
import { movedPoint } from './bar-plot.tsx'

describe('a key', () => {
  it.each([
    ['ArrowLeft', 10, 9],
    ['ArrowDown', 10, 9],
    ['ArrowRight', 10, 11],
    ['ArrowUp', 10, 11],
    ['PageDown', 10, 3],
    ['PageUp', 10, 17],
    ['Home', 10, 0],
    ['End', 10, 29],
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 29, 29],
    ['PageDown', 3, 0],
    ['PageUp', 28, 29],
    ['Tab', 10, null],
    ['a', 10, null],
  ])('%s moves the reading point from %i to %j', (key, from, to) => {
    expect(movedPoint(key, from, 30)).toBe(to)
  })
})
