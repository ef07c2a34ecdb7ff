import { describe, expect, it } from 'vitest'
import { createKeptFiles, type KeptFile } from './kept-files.ts'
import { isFromElsewhere, sharedField, takeShare } from './take-share.ts'

/** Returns a keeper that keeps files in memory and has room for this number of bytes. */
function keeper(room: number) {
  const stored = new Map<string, KeptFile>()
  let ids = 0
  return createKeptFiles({
    table: {
      async add(files) {
        for (const file of files) stored.set(file.id, file)
      },
      all: async () => [...stored.values()],
      async remove(ids) {
        for (const id of ids) stored.delete(id)
      },
    },
    room: async () => room - [...stored.values()].reduce((sum, { size }) => sum + size, 0),
    now: () => 0,
    newId: () => String(ids++),
  })
}

async function namesIn(kept: ReturnType<typeof keeper>) {
  return (await kept.list()).map(({ name }) => name)
}

function share(entries: readonly (File | string)[]): Request {
  const body = new FormData()
  for (const entry of entries) body.append(sharedField, entry)
  return new Request('https://files.example.org/share', { method: 'POST', body })
}

describe('what a phone shares', () => {
  it('is kept, and the front page shows it', async () => {
    const kept = keeper(10)
    const shared = share([new File(['1'], 'one.jpg'), new File([], 'empty.txt')])
    expect(await takeShare(shared, kept)).toBe('/')
    expect(await namesIn(kept)).toEqual(['one.jpg', 'empty.txt'])
  })

  it('is kept as a whole or not at all, so that sharing it again keeps nothing twice', async () => {
    const kept = keeper(10)
    const shared = () => share([new File(['1'], 'one.jpg'), new File(['x'.repeat(10)], 'film.mov')])
    expect(await takeShare(shared(), kept)).toBe('/share')
    expect(await takeShare(shared(), kept)).toBe('/share')
    expect(await namesIn(kept)).toEqual([])
    expect(await takeShare(share([new File(['1'], 'one.jpg')]), kept)).toBe('/')
    expect(await namesIn(kept)).toEqual(['one.jpg'])
  })

  it.each([
    ['cannot be kept', share([new File(['x'.repeat(11)], 'film.mov')])],
    ['holds no file', share(['a text'])],
    ['is no form', new Request('https://files.example.org/share', { method: 'POST', body: '{}' })],
  ])('and %s leads to the page that says so', async (_what, request) => {
    expect(await takeShare(request, keeper(10))).toBe('/share')
  })
})

it.each([
  ['a phone', '', false],
  ['our page', 'https://files.example.org/share', false],
  ['another site', 'https://evil.example/', true],
  ['our host without encryption', 'http://files.example.org/', true],
])('a form of %s is told by its referrer', (_whose, referrer, expected) => {
  expect(isFromElsewhere(referrer, 'https://files.example.org')).toBe(expected)
})
