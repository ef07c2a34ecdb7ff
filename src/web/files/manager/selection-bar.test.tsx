// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openClipboard, type TestClipboard } from '../../../../tests/support/clipboard.ts'
import { storedFile } from '../../../../tests/support/upload-fixtures.ts'
import { openPage, type WebPage } from '../../../../tests/support/web-page.ts'
import { SelectionBar, type SelectionBarProps } from './selection-bar.tsx'

const now = new Date('2025-07-13T10:00:00.000Z')

function makeActiveFile(id: string) {
  return storedFile({ id, shortCode: `code-${id}` })
}
function makeExpiredFile(id: string) {
  return { ...makeActiveFile(id), expiresAt: now.toISOString() }
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
    ['no files', { selected: [] }, 'Select all files', [false, false], 'all'],
    ['some files', { selected: [makeActiveFile('a')] }, 'Select all files', [false, true], 'all'],
    [
      'all files',
      { selected: [makeActiveFile('a')], isAllSelected: true },
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

test('shows the number and total size of selected files', () => {
  show({ selected: [makeActiveFile('a'), { ...makeActiveFile('b'), size: 548 }] })
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
    show({ selected: [makeActiveFile('a'), makeActiveFile('b')] })
    await copy('Copy 2 links')
    expect(clipboard.copiedTexts).toEqual([`${getOrigin()}/s/code-a\n${getOrigin()}/s/code-b`])
    await expect.poll(page.text).toContain('2 links copied')
    expect(page.text()).not.toContain('no open link')
  })

  test('skips an expired link and says so', async () => {
    show({ selected: [makeActiveFile('a'), makeExpiredFile('b')] })
    await copy('Copy 1 link')
    expect(clipboard.copiedTexts).toEqual([`${getOrigin()}/s/code-a`])
    await expect.poll(page.text).toContain('1 link copied1 file has no open link.')
  })

  test('counts the skipped links', async () => {
    show({ selected: [makeActiveFile('a'), makeExpiredFile('b'), makeExpiredFile('c')] })
    await copy('Copy 1 link')
    await expect.poll(page.text).toContain('2 files have no open link.')
  })

  test('is disabled if all links have expired', async () => {
    show({ selected: [makeExpiredFile('a')] })
    await copy('Copy 0 links')
    expect(clipboard.copiedTexts).toEqual([])
  })

  test.each([
    [[makeActiveFile('a')], 'Copy 1 link'],
    [[makeActiveFile('a'), makeActiveFile('b')], 'Copy 2 links'],
  ])('shows the error from the spec if copying fails', async (selectedFiles, name) => {
    clipboard.shouldFail = true
    show({ selected: selectedFiles })
    await copy(name)
    await expect.poll(page.text).toContain('Copy failedFailed to copy link to clipboard.')
  })
})

test('can delete files and clear the selection', () => {
  show({ selected: [makeActiveFile('a')] })
  fireEvent.click(screen.getByRole('button', { name: 'Delete 1' }))
  fireEvent.click(screen.getByRole('button', { name: 'Clear selection' }))
  expect(pressedButtons).toEqual(['delete', 'clear'])
})
