import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import { look, nothingSeen, settle, spokenNews } from './new-files.ts'

/** A file that was stored at this second. */
function at(second: number, id = String(second)) {
  const createdAt = new Date(Date.UTC(2025, 6, 12, 10, 0, second)).toISOString()
  return storedFile({ id, createdAt, originalName: `${id}.txt` })
}

function freshOf(...lists: (readonly ReturnType<typeof at>[] | undefined)[]) {
  return lists.reduce(look, nothingSeen).fresh.map(({ id }) => id)
}

describe('the new files of a list', () => {
  it.each([
    ['none, while it is not known', [undefined], []],
    ['none, in the first list that is known', [undefined, [at(2), at(1)]], []],
    ['the first file of all', [[], [at(1)]], ['1']],
    ['a file that comes on top', [[at(1)], [at(2), at(1)]], ['2']],
    [
      'all that come one after another',
      [[at(1)], [at(2), at(1)], [at(3), at(2), at(1)]],
      ['3', '2'],
    ],
    ['also two of one moment', [[at(1)], [at(2), at(1)], [at(2, 'b'), at(2), at(1)]], ['b', '2']],
    // A deletion moves a file from the second page of the list to the first page.
    [
      'no older file',
      [
        [at(3), at(2)],
        [at(3), at(1)],
      ],
      [],
    ],
    // The deletion of file 2 began, and then failed.
    ['no file that comes back', [[at(2), at(1)], [at(1)], [at(2), at(1)]], []],
    ['no file that has left', [[at(1)], [at(2), at(1)], [at(1)]], []],
    ['the same ones while the list is read again', [[at(1)], [at(2), at(1)], undefined], ['2']],
  ])('are %s', (_what, lists, fresh) => {
    expect(freshOf(...lists)).toEqual(fresh)
  })

  it('are known once somebody has looked', () => {
    const seen = settle([[at(1)], [at(2), at(1)]].reduce(look, nothingSeen))
    expect(seen.fresh).toEqual([])
    expect(look(seen, [at(3), at(2), at(1)]).fresh.map(({ id }) => id)).toEqual(['3'])
    expect(settle(seen)).toBe(seen)
  })

  it('have their latest state', () => {
    const renewed = { ...at(2), shortCode: 'another' }
    const seen = [[at(1)], [at(2), at(1)], [renewed, at(1)]].reduce(look, nothingSeen)
    expect(seen.fresh).toEqual([renewed])
  })

  it('are each new once, whatever lists come', () => {
    const lists = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 9 })), { maxLength: 12 })
    fc.assert(
      fc.property(lists, (all) => {
        let seen = nothingSeen
        const told: string[] = []
        for (const list of all) {
          seen = look(
            seen,
            list.map((second) => at(second)),
          )
          told.push(...seen.fresh.map(({ id }) => id))
          seen = settle(seen)
        }
        expect(new Set(told).size).toBe(told.length)
        expect(told.map(Number).filter((id) => all[0]?.includes(id))).toEqual([])
      }),
    )
  })
})

describe('what a screen reader says', () => {
  it.each([
    [[], ''],
    [[at(1)], '1.txt: its link is ready to copy.'],
    [[at(2), at(1)], '2 new links are ready to copy, the latest for 2.txt.'],
  ])('%# %j', (fresh, text) => {
    expect(spokenNews(fresh)).toBe(text)
  })

  it('cuts a long name', () => {
    const file = storedFile({ originalName: `${'x'.repeat(200)}.pdf` })
    expect(spokenNews([file]).length).toBeLessThan(100)
    expect(spokenNews([file])).toContain('.pdf: its link')
  })
})
