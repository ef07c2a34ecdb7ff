import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexedSearch } from './search-pieces.ts'

describe('a search by an index of trigrams', () => {
  it.each([
    ['lov', ['lov'], null],
    ['love', ['love'], null],
    ['lovelace', ['love', 'lace'], null],
    ['hopper', ['hopp', 'pper'], null],
    ['ada.l@x.example', ['ada', 'exam', 'mple'], null],
    ['mailmail', ['mail'], null],
    ['ünï çödé', ['ünï', 'çödé'], null],
    ['lo', [], 'lo'],
    ['@l. o', [], 'l'],
    ['%_\\', [], null],
    ['', [], null],
  ])('for %j asks for %j or words that begin with %j', (search, pieces, wordStart) => {
    expect(indexedSearch(search)).toEqual({ pieces, wordStart })
  })

  it('never asks for what the text does not contain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (search) => {
        const { pieces, wordStart } = indexedSearch(search)
        for (const piece of [...pieces, wordStart ?? '']) expect(search).toContain(piece)
        for (const piece of pieces) expect([...piece].length).toBeGreaterThanOrEqual(3)
      }),
    )
  })
})
