// @vitest-environment happy-dom
import { renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Drop, DropItem } from './dropped-files.ts'
import { usePagePaste } from './use-page-paste.ts'

const file = new File(['a'], 'notes.md', { lastModified: 0 })

let pastes: Drop[]
let leave: () => void

beforeEach(() => {
  document.body.replaceChildren(document.createElement('input'), document.createElement('p'))
  pastes = []
  leave = renderHook(() => usePagePaste((paste) => pastes.push(paste))).unmount
})
afterEach(() => leave())

/** Pastes a file or a text. An empty text stands for an empty clipboard. */
function paste(what: File | string, into = 'p', { isTaken = false } = {}) {
  const item: DropItem = { kind: 'file', getAsFile: () => what as File }
  const clipboardData = {
    items: what instanceof File ? [item] : [],
    getData: () => (typeof what === 'string' ? what : ''),
  }
  const event = Object.assign(new Event('paste', { bubbles: true, cancelable: true }), {
    clipboardData,
  })
  if (isTaken) event.preventDefault()
  document.querySelector(into)?.dispatchEvent(event)
}

/** Pastes one more file. Expects that it and files of these names were taken, in any order. */
async function expectPasted(names: (string | RegExp)[]) {
  paste(file)
  const taken = () => pastes.map(({ files }) => files[0]?.file.name)
  const all = [...names, 'notes.md'].map((name) => expect.stringMatching(name))
  await expect.poll(taken).toEqual(expect.arrayContaining(all))
  expect(pastes).toHaveLength(all.length)
}

test('files and text are taken', async () => {
  paste(file)
  paste('some words')
  await expectPasted(['notes.md', /^Pasted text .*\.txt$/])
})

test('a field keeps what is pasted into it', async () => {
  paste('some words', 'input')
  await expectPasted([])
})

test('a paste that somebody has taken, or that holds nothing, is none', async () => {
  paste('some words', 'p', { isTaken: true })
  paste('')
  await expectPasted([])
})

test('a page that is left takes nothing', async () => {
  leave()
  paste(file)
  await new Promise((resolve) => setImmediate(resolve))
  expect(pastes).toEqual([])
})
