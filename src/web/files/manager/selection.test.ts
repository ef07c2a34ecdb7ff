import { describe, expect, it } from 'vitest'
import { nothing, ofAll, selectedIn, withToggled } from './selection.ts'

describe('a selection of files', () => {
  const two = ofAll('report', [{ id: 'a' }, { id: 'b' }])

  it('holds all files of a search', () => {
    expect([...selectedIn(two, 'report')]).toEqual(['a', 'b'])
  })

  it('takes a file in and out, and stays as it was for others', () => {
    expect([...selectedIn(withToggled(two, 'report', 'a'), 'report')]).toEqual(['b'])
    expect([...selectedIn(withToggled(two, 'report', 'c'), 'report')]).toEqual(['a', 'b', 'c'])
    expect([...selectedIn(two, 'report')]).toEqual(['a', 'b'])
  })

  it('is empty for another search, and begins anew there', () => {
    expect(selectedIn(two, '')).toBe(nothing)
    expect([...selectedIn(withToggled(two, '', 'c'), '')]).toEqual(['c'])
  })
})
