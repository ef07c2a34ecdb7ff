// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linkFile } from '../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../tests/support/web-page.ts'
import { confirmDeletion } from './confirm-deletion.tsx'

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

/**
 * Opens the dialog that confirms the deletion of `count` files. Only the files with the given sizes
 * are loaded.
 */
async function openConfirmation(count: number, sizes: readonly number[]) {
  const files = sizes.map((size, n) => linkFile({ id: `${n}`, name: `${n}.txt`, size }))
  page.show(null)
  act(() => void confirmDeletion(files, count))
  await screen.findByRole('alertdialog')
  return screen.queryAllByRole('listitem').map(({ textContent }) => textContent)
}

test.each([
  ['lists up to three files with their sizes', 3, [1, 2, 1536], [3, '1.5 KB']],
  [
    'counts further files and shows the total size',
    5,
    [1, 2, 3, 1024, 1024],
    [4, 'and 2 more2 KB in all'],
  ],
  ['omits the total size if some files are not loaded', 40, [1, 2, 3, 4], [4, 'and 37 more']],
  ['lists nothing if no files are loaded', 40, [], [0, '']],
])('the confirmation %s', async (_, count, sizes, [lines, end]) => {
  const listItems = await openConfirmation(count, sizes)
  expect(listItems).toHaveLength(Number(lines))
  expect(listItems.at(-1) ?? '').toMatch(new RegExp(`${end}$`))
})
