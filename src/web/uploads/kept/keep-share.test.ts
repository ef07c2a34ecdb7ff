import { describe, expect, it } from 'vitest'
import { createMemoryKeptFileTable } from '../../../../tests/support/browser-memory.ts'
import { isCrossOrigin, keepShare, sharedField } from './keep-share.ts'
import { createKeptFiles, maxKeptFiles } from './kept-files.ts'

function createShareRequest(entries: readonly (File | string)[]): Request {
  const body = new FormData()
  for (const entry of entries) body.append(sharedField, entry)
  return new Request('https://files.example.org/share', { method: 'POST', body })
}

function createStore() {
  return createKeptFiles(createMemoryKeptFileTable(), () => 0)
}

describe('files shared from a phone', () => {
  it('are kept, and the front page opens', async () => {
    const keptFiles = createStore()
    const request = createShareRequest([new File(['1'], 'one.jpg'), new File([], 'empty.txt')])
    expect(await keepShare(request, keptFiles)).toBe('/')
    expect((await keptFiles.list()).map(({ file }) => file.name)).toEqual(['one.jpg', 'empty.txt'])
  })

  it.each([
    [
      'too many files',
      createShareRequest(Array.from({ length: maxKeptFiles + 1 }, () => new File([], 'a'))),
    ],
    ['no files', createShareRequest(['a text'])],
    [
      'a body that is not a form',
      new Request('https://files.example.org/share', { method: 'POST', body: '{}' }),
    ],
  ])('are not kept, and the share page opens: %s', async (_what, request) => {
    const keptFiles = createStore()
    expect(await keepShare(request, keptFiles)).toBe('/share')
    expect(await keptFiles.list()).toEqual([])
  })
})

it.each([
  ['a phone', '', false],
  ['our own page', 'https://files.example.org/share', false],
  ['another site', 'https://evil.example/', true],
  ['our host over plain HTTP', 'http://files.example.org/', true],
])('a share from %s is cross-site: %s', (_from, referrer, expected) => {
  expect(isCrossOrigin(referrer, 'https://files.example.org')).toBe(expected)
})
