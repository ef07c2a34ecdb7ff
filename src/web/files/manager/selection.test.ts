import { describe, expect, it } from 'vitest'
import { storedFile } from '../../../../tests/support/upload-facts.ts'
import {
  inOrder,
  nothing,
  ofAll,
  selectedIn,
  withKnown,
  withoutDeleted,
  withToggled,
} from './selection.ts'

const a = storedFile({ id: 'a' })
const b = storedFile({ id: 'b' })
const c = storedFile({ id: 'c' })

describe('a selection of files', () => {
  const two = ofAll('report', [a, b])
  const idsIn = (selection: typeof two, search = 'report') => [
    ...selectedIn(selection, search).keys(),
  ]

  it('holds all files of a search', () => {
    expect([...selectedIn(two, 'report').values()]).toEqual([a, b])
  })

  it('takes a file in and out, and stays as it was for others', () => {
    expect(idsIn(withToggled(two, 'report', a))).toEqual(['b'])
    expect(idsIn(withToggled(two, 'report', c))).toEqual(['a', 'b', 'c'])
    expect(idsIn(two)).toEqual(['a', 'b'])
  })

  it('is empty for another search, and begins anew there', () => {
    expect(selectedIn(two, '')).toBe(nothing)
    expect(idsIn(withToggled(two, '', c), '')).toEqual(['c'])
  })

  it('keeps files that a list known in part does not show', () => {
    expect(withKnown(two, 'report', { files: [], isWhole: false })).toEqual(two)
    expect(idsIn(withKnown(two, 'report', { files: [c, b], isWhole: false }))).toEqual(['a', 'b'])
  })

  it('loses files that the whole list does not have', () => {
    expect(idsIn(withKnown(two, 'report', { files: [c, b], isWhole: true }))).toEqual(['b'])
  })

  it('loses files that were deleted, whatever the list shows', () => {
    expect(idsIn(withoutDeleted(two, new Set(['a', 'c'])))).toEqual(['b'])
  })

  it('takes over what has changed in a file, and keeps it when the list shows it no more', () => {
    const renewed = storedFile({ id: 'b', shortCode: 'renewed000' })
    const inPart = withKnown(two, 'report', { files: [renewed], isWhole: false })
    const later = withKnown(inPart, 'report', { files: [c], isWhole: false })
    expect([...selectedIn(later, 'report').values()]).toEqual([a, renewed])
  })

  it('is of all files until one is deselected, or one is there that is not selected', () => {
    expect(two.isAll).toBe(true)
    expect(withToggled(two, 'report', a).isAll).toBe(false)
    expect(withToggled(withToggled(two, 'report', a), 'report', a).isAll).toBe(false)
    expect(withoutDeleted(two, new Set(['a'])).isAll).toBe(true)
    expect(withKnown(two, 'report', { files: [b], isWhole: false }).isAll).toBe(true)
    expect(withKnown(two, 'report', { files: [c, b], isWhole: false }).isAll).toBe(false)
  })

  it('learns nothing from the list of another search', () => {
    expect(withKnown(two, '', { files: [c], isWhole: true })).toBe(two)
  })

  it('has the order of the list, and after it what the list does not show yet', () => {
    const three = ofAll('', [a, b, c]).files
    expect(inOrder(three, [c, b, a])).toEqual([c, b, a])
    expect(inOrder(three, [c])).toEqual([c, a, b])
    expect(inOrder(ofAll('', [a]).files, [c, b, a])).toEqual([a])
    expect(inOrder(nothing, [c, b])).toEqual([])
  })
})
