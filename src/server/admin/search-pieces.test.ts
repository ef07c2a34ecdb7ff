import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { searchPieces } from './search-pieces.ts'

describe('a search by an index of trigrams', () => {
  it.each([
    ['lov', ['lov']],
    ['love', ['love']],
    ['lovelace', ['love', 'lace']],
    ['hopper', ['hopp', 'pper']],
    ['ada.l@x.example', ['ada', 'exam', 'mple']],
    ['mailmail', ['mail']],
    ['ünï çödé', ['ünï', 'çödé']],
    ['lo', []],
    ['@l. o', []],
    ['%_\\', []],
    ['', []],
  ])('for %j asks for %j', (search, pieces) => {
    expect(searchPieces(search)).toEqual(pieces)
  })

  it('never asks for what the text does not contain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (search) => {
        for (const piece of searchPieces(search)) {
          expect(search).toContain(piece)
          expect([...piece].length).toBeGreaterThanOrEqual(3)
        }
      }),
    )
  })
})
