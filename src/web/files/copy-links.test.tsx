// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { openPage } from '../../../tests/support/web-page.ts'
import { copyText } from './copy-links.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(document, 'execCommand')
})

/**
 * Makes copying with the clipboard API and copying a selection succeed or fail. Returns a log of
 * the copied text.
 */
function mockBrowser({ clipboard, selection }: { clipboard: boolean; selection: boolean }) {
  const copies: [way: string, text: string][] = []
  const writeText = async (text: string) => {
    if (!clipboard) throw new Error('refused')
    copies.push(['clipboard', text])
  }
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const execCommand = () => {
    const field = document.querySelector('textarea')
    if (selection && field) {
      copies.push(['selection', field.value.slice(field.selectionStart, field.selectionEnd)])
    }
    return selection
  }
  Object.assign(document, { execCommand })
  return copies
}

const successToast = { title: 'Link copied' }

it('copies text to the clipboard', async () => {
  const copies = mockBrowser({ clipboard: true, selection: true })
  expect(await copyText('a link', 'link', successToast)).toBe(true)
  expect(copies).toEqual([['clipboard', 'a link']])
})

it('falls back to copying a selection if clipboard access is denied, and restores the focus', async () => {
  const copies = mockBrowser({ clipboard: false, selection: true })
  const button = document.body.appendChild(document.createElement('button'))
  button.focus()
  expect(await copyText('a link', 'link', successToast)).toBe(true)
  expect(copies).toEqual([['selection', 'a link']])
  expect(document.activeElement).toBe(button)
  expect(document.querySelector('textarea')).toBeNull()
})

it('shows an error if both ways fail', async () => {
  const page = openPage()
  page.show(null)
  mockBrowser({ clipboard: false, selection: false })
  await act(async () => {
    expect(await copyText('a link', 'link', successToast)).toBe(false)
  })
  expect(page.text()).toContain('Copy failedFailed to copy link to clipboard.')
  page.close()
})
