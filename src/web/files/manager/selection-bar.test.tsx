// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openClipboard, type TestClipboard } from '../../../../tests/support/clipboard.ts'
import { listedLink } from '../../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../../tests/support/web-page.ts'
import { SelectionBar, type SelectionBarProps } from './selection-bar.tsx'

const now = new Date('2025-07-13T10:00:00.000Z')

function makeActiveLink(id: string) {
  return listedLink({ id, shortCode: `code-${id}` })
}
function makeExpiredLink(id: string) {
  return { ...makeActiveLink(id), expiresAt: now.toISOString() }
}

let page: WebPage
let pressedButtons: string[]
let clipboard: TestClipboard
beforeEach(() => {
  page = openPage()
  pressedButtons = []
  clipboard = openClipboard()
})
afterEach(() => {
  page.close()
  clipboard.close()
})

function show(changes: Partial<SelectionBarProps> = {}) {
  page.show(
    <SelectionBar
      selected={[]}
      isAllSelected={false}
      isLoadingAll={false}
      isDeleting={false}
      tier="premium"
      now={now}
      onSelectAll={() => pressedButtons.push('all')}
      onClear={() => pressedButtons.push('clear')}
      onDelete={() => pressedButtons.push('delete')}
      {...changes}
    />,
  )
}

function getCheckbox(name: string) {
  return screen.getByRole<HTMLInputElement>('checkbox', { name })
}

async function copy(name: string) {
  await act(async () => fireEvent.click(screen.getByRole('button', { name })))
}

describe('the checkbox', () => {
  test.each([
    ['no links', { selected: [] }, 'Select all files', [false, false], 'all'],
    ['some links', { selected: [makeActiveLink('a')] }, 'Select all files', [false, true], 'all'],
    [
      'all links',
      { selected: [makeActiveLink('a')], isAllSelected: true },
      'Select none',
      [true, false],
      'clear',
    ],
  ])('shows and changes a selection of %s', (_, changes, name, state, expectedButton) => {
    show(changes)
    const { checked, indeterminate } = getCheckbox(name)
    expect([checked, indeterminate]).toEqual(state)
    fireEvent.click(getCheckbox(name))
    expect(pressedButtons).toEqual([expectedButton])
  })

  test('does nothing while the list loads', () => {
    show({ isLoadingAll: true })
    fireEvent.click(getCheckbox('Select all files'))
    expect(pressedButtons).toEqual([])
    expect(screen.getByRole('status').textContent).toBe('Selecting all…')
  })
})

test('shows the number and total size of selected links', () => {
  show({ selected: [makeActiveLink('a'), { ...makeActiveLink('b'), totalSize: 548 }] })
  expect(screen.getByRole('status').textContent).toBe('2 selected · 1.5 KB')
})

test('has no actions without a selection', () => {
  show()
  expect(screen.queryAllByRole('button')).toEqual([])
  expect(screen.getByRole('status').textContent).toBe('Select all')
})

describe('copying links', () => {
  const getOrigin = () => window.location.origin

  test('copies one link per line', async () => {
    show({ selected: [makeActiveLink('a'), makeActiveLink('b')] })
    await copy('Copy 2 links')
    expect(clipboard.copiedTexts).toEqual([`${getOrigin()}/s/code-a\n${getOrigin()}/s/code-b`])
    await expect.poll(page.text).toContain('2 links copied')
    expect(page.text()).not.toContain('ended')
  })

  test('skips an expired link and says so', async () => {
    show({ selected: [makeActiveLink('a'), makeExpiredLink('b')] })
    await copy('Copy 1 link')
    expect(clipboard.copiedTexts).toEqual([`${getOrigin()}/s/code-a`])
    await expect.poll(page.text).toContain('1 link copied1 link was left out.')
  })

  test('counts the skipped links', async () => {
    show({ selected: [makeActiveLink('a'), makeExpiredLink('b'), makeExpiredLink('c')] })
    await copy('Copy 1 link')
    await expect.poll(page.text).toContain('2 links were left out.')
  })

  test('is disabled if all links have expired', async () => {
    show({ selected: [makeExpiredLink('a')] })
    await copy('Copy 0 links')
    expect(clipboard.copiedTexts).toEqual([])
  })

  test.each([
    [[makeActiveLink('a')], 'Copy 1 link'],
    [[makeActiveLink('a'), makeActiveLink('b')], 'Copy 2 links'],
  ])('shows the error from the spec if copying fails', async (selectedLinks, name) => {
    clipboard.shouldFail = true
    show({ selected: selectedLinks })
    await copy(name)
    await expect.poll(page.text).toContain('Copy failedFailed to copy link to clipboard.')
  })
})

test('can delete links and clear the selection', () => {
  show({ selected: [makeActiveLink('a')] })
  fireEvent.click(screen.getByRole('button', { name: 'Delete 1' }))
  fireEvent.click(screen.getByRole('button', { name: 'Clear selection' }))
  expect(pressedButtons).toEqual(['delete', 'clear'])
})
