import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import {
  filesOf,
  joinNewest,
  joinNext,
  type ListedFiles,
  newestOnly,
  nextOf,
  withChanged,
  withoutFiles,
  withStored,
} from './listed-files.ts'

/** Makes a file for a list. A file with a higher `place` is newer. */
function file(place: number, changes: Partial<StoredFile> = {}) {
  const createdAt = new Date(Date.parse('2025-07-12T10:00:00Z') + place * 1000).toISOString()
  return storedFile({ id: `file-${place}`, createdAt, ...changes })
}

/** Makes a server with these files, which answers pages as the real one does. */
function serverOf(files: StoredFile[], size: number) {
  const newestFirst = files.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  return (cursor: string | null) => {
    const older = newestFirst.filter(({ createdAt }) => cursor === null || createdAt < cursor)
    const items = older.slice(0, size)
    return { items, next: older.length > size ? (items.at(-1)?.createdAt ?? null) : null }
  }
}

/** Reads the list from the newest page on, up to `pages` pages. */
function read(page: ReturnType<typeof serverOf>, pages: number): ListedFiles {
  let known = joinNewest(undefined, page(null))
  for (let more = 1; more < pages; more += 1) {
    const next = nextOf(known)
    if (next !== null) known = joinNext(known, next, page(next))
  }
  return known
}

function ids(known: ListedFiles) {
  return filesOf(known).map(({ id }) => id)
}

const places = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 })

describe('reading a list page by page', () => {
  test('ends with every file once, in order', () => {
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 7 }), (all, size) => {
        const known = read(
          serverOf(
            all.map((place) => file(place)),
            size,
          ),
          100,
        )
        expect(ids(known)).toEqual(all.toSorted((a, b) => b - a).map((place) => `file-${place}`))
        expect(nextOf(known)).toBeNull()
      }),
    )
  })

  test('takes no page that another one has replaced', () => {
    const page = serverOf(
      [1, 2, 3, 4].map((place) => file(place)),
      2,
    )
    const known = read(page, 1)
    const next = nextOf(known) ?? ''
    const whole = joinNext(known, next, page(next))
    expect(joinNext(whole, next, page(next))).toBe(whole)
  })
})

describe('reading the newest page again', () => {
  test('is what the server has, as far as the list goes, and never has a gap or a file twice', () => {
    fc.assert(
      fc.property(
        places,
        places,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 6 }),
        (before, added, size, pages) => {
          const old = read(
            serverOf(
              before.map((place) => file(place)),
              size,
            ),
            pages,
          )
          // The added files are newer than all earlier ones, as new uploads are.
          const all = [...before, ...added.map((place) => place + 100)]
          const page = serverOf(
            all.map((place) => file(place)),
            size,
          )
          const known = joinNewest(old, page(null))
          const expected = all.toSorted((a, b) => b - a).map((place) => `file-${place}`)
          expect(ids(known)).toEqual(expected.slice(0, filesOf(known).length))
          // When the rest is read page by page, the whole list is known at the end.
          let whole = known
          for (let next = nextOf(whole); next !== null; next = nextOf(whole)) {
            whole = joinNext(whole, next, page(next))
          }
          expect(ids(whole)).toEqual(expected)
        },
      ),
    )
  })

  test('keeps the pages after it, and what went from the newest page is gone', () => {
    const known = read(
      serverOf(
        [1, 2, 3, 4, 5, 6].map((place) => file(place)),
        2,
      ),
      3,
    )
    const fresh = serverOf(
      [1, 2, 3, 4, 5, 7].map((place) => file(place)),
      2,
    )(null)
    expect(ids(joinNewest(known, fresh))).toEqual(
      [7, 5, 4, 3, 2, 1].map((place) => `file-${place}`),
    )
  })

  test('forgets what was known where too much is new to be sure of no gap', () => {
    const known = read(
      serverOf(
        [1, 2, 3, 4].map((place) => file(place)),
        2,
      ),
      2,
    )
    const fresh = serverOf(
      [1, 2, 3, 4, 11, 12, 13].map((place) => file(place)),
      2,
    )(null)
    const joined = joinNewest(known, fresh)
    expect(ids(joined)).toEqual(['file-13', 'file-12'])
    expect(nextOf(joined)).toBe(fresh.next)
  })

  test('has every file of the server, and none twice, where files went elsewhere meanwhile', () => {
    const some = fc.record({
      before: fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 12, maxLength: 40 }),
      gone: fc.integer({ min: 1, max: 5 }),
      added: fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 3 }),
      size: fc.integer({ min: 1, max: 7 }),
      pages: fc.integer({ min: 1, max: 4 }),
    })
    fc.assert(
      fc.property(some, ({ before, gone, added, size, pages }) => {
        const old = read(
          serverOf(
            before.map((place) => file(place)),
            size,
          ),
          pages,
        )
        const left = before.filter((place) => place % gone !== 0)
        const all = [...left, ...added.map((place) => place + 100)]
        const page = serverOf(
          all.map((place) => file(place)),
          size,
        )
        let whole = joinNewest(old, page(null))
        for (let next = nextOf(whole); next !== null; next = nextOf(whole)) {
          whole = joinNext(whole, next, page(next))
        }
        const known = ids(whole)
        expect(new Set(known).size).toBe(known.length)
        expect(known).toEqual(expect.arrayContaining(all.map((place) => `file-${place}`)))
      }),
    )
  })

  test('forgets all that a list which is whole does not have', () => {
    const known = read(
      serverOf(
        [1, 2, 3, 4].map((place) => file(place)),
        2,
      ),
      2,
    )
    const fresh = serverOf(
      [3, 4].map((place) => file(place)),
      2,
    )(null)
    expect(ids(joinNewest(known, fresh))).toEqual(['file-4', 'file-3'])
  })

  test('tells files of the same moment apart by their ids', () => {
    const twins = ['c', 'b', 'a'].map((id) => file(1, { id }))
    const known = { pages: [{ items: twins, next: 'more' }] }
    const fresh = { items: twins.slice(0, 2), next: 'again' }
    expect(ids(joinNewest(known, fresh))).toEqual(['c', 'b', 'a'])
  })
})

describe('what a person does', () => {
  const known = read(
    serverOf(
      [1, 2, 3, 4].map((place) => file(place)),
      2,
    ),
    2,
  )

  test('puts new files on top, once', () => {
    const stored = [file(5), file(6), file(2)]
    expect(ids(withStored(known, stored))).toEqual(
      [2, 6, 5, 4, 3, 1].map((place) => `file-${place}`),
    )
    const none = { pages: [{ items: [], next: null }] }
    expect(ids(withStored(none, [file(1)]))).toEqual(['file-1'])
  })

  test('takes one file out, on whatever page, and leaves the cursors', () => {
    const left = withoutFiles(known, new Set(['file-1']))
    expect(ids(left)).toEqual(['file-4', 'file-3', 'file-2'])
    expect(nextOf(left)).toBe(nextOf(known))
  })

  test('changes a file in its place', () => {
    const changed = file(2, { shortCode: 'another' })
    const after = withChanged(known, changed)
    expect(ids(after)).toEqual(ids(known))
    expect(filesOf(after)[2]).toBe(changed)
  })

  test('goes back to the newest page', () => {
    const newest = newestOnly(known)
    expect(ids(newest)).toEqual(['file-4', 'file-3'])
    expect(nextOf(newest)).not.toBeNull()
  })
})
