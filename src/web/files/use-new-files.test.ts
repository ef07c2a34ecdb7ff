// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { look, newForMs, nothingSeen, settle, spokenNews, useNewFiles } from './use-new-files.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  Reflect.deleteProperty(document, 'visibilityState')
})

const [one, two, three] = [1, 2, 3].map((second) =>
  storedFile({ id: String(second), createdAt: `2025-07-12T10:00:0${second}.000Z` }),
) as [StoredFile, StoredFile, StoredFile]

/** Shows a list with the first file. While `button` has the focus, new files stay new. */
function show() {
  const kept = document.createElement('div')
  const button = document.createElement('button')
  kept.append(button)
  document.body.append(kept)
  const ref = { current: kept }
  const { result, rerender, unmount } = renderHook(
    ({ files }: { files: StoredFile[] }) => useNewFiles(files, ref),
    { initialProps: { files: [one] } },
  )
  return {
    button,
    unmount,
    list: (...files: StoredFile[]) => rerender({ files }),
    fresh: () => result.current.map(({ id }) => id),
  }
}

function pass(ms: number) {
  act(() => void vi.advanceTimersByTime(ms))
}

/** Shows the page, or puts it behind another one. */
function turn(visibilityState: DocumentVisibilityState) {
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: visibilityState })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
}

test('a file is new for some seconds, and another one starts them anew', () => {
  const { list, fresh } = show()
  expect(fresh()).toEqual([])
  list(two, one)
  expect(fresh()).toEqual(['2'])
  pass(newForMs - 1)
  list(three, two, one)
  pass(newForMs - 1)
  expect(fresh()).toEqual(['3', '2'])
  pass(1)
  expect(fresh()).toEqual([])
})

test('reading the same list again does not make it new for longer', () => {
  const { list, fresh } = show()
  list(two, one)
  pass(newForMs - 1)
  list(two, one)
  pass(1)
  expect(fresh()).toEqual([])
})

test('in a page behind others the seconds begin when somebody looks', () => {
  const { list, fresh } = show()
  turn('hidden')
  list(two, one)
  pass(10 * newForMs)
  expect(fresh()).toEqual(['2'])
  turn('visible')
  pass(newForMs - 1)
  // Looking away and back does not make the seconds begin anew.
  turn('hidden')
  turn('visible')
  pass(1)
  expect(fresh()).toEqual([])
})

test('nothing goes away from under the keyboard focus', () => {
  const { button, list, fresh } = show()
  list(two, one)
  button.focus()
  pass(3 * newForMs)
  expect(fresh()).toEqual(['2'])
  button.blur()
  pass(newForMs)
  expect(fresh()).toEqual([])
})

test('a list that has gone waits for nothing', () => {
  const { list, unmount } = show()
  list(two, one)
  expect(vi.getTimerCount()).toBe(1)
  unmount()
  expect(vi.getTimerCount()).toBe(0)
})

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
