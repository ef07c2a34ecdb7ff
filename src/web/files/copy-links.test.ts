// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { copyText } from './copy-links.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(document, 'execCommand')
})

/** Gives the page the two ways to copy, and returns what was copied by which of them. */
function browser({ clipboard, selection }: { clipboard: boolean; selection: boolean }) {
  const copied: [way: string, text: string][] = []
  const writeText = async (text: string) => {
    if (!clipboard) throw new Error('refused')
    copied.push(['clipboard', text])
  }
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const execCommand = () => {
    const field = document.querySelector('textarea')
    if (selection && field) {
      copied.push(['selection', field.value.slice(field.selectionStart, field.selectionEnd)])
    }
    return selection
  }
  Object.assign(document, { execCommand })
  return copied
}

it('puts the text on the clipboard', async () => {
  const copied = browser({ clipboard: true, selection: true })
  await copyText('a link')
  expect(copied).toEqual([['clipboard', 'a link']])
})

it('copies by a selection where the clipboard is refused, and leaves the page as it was', async () => {
  const copied = browser({ clipboard: false, selection: true })
  const button = document.body.appendChild(document.createElement('button'))
  button.focus()
  await copyText('a link')
  expect(copied).toEqual([['selection', 'a link']])
  expect(document.activeElement).toBe(button)
  expect(document.querySelector('textarea')).toBeNull()
})

it('fails where the browser refuses both', async () => {
  browser({ clipboard: false, selection: false })
  await expect(copyText('a link')).rejects.toThrow('refused')
  expect(document.querySelector('textarea')).toBeNull()
})
