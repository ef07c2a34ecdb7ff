import { describe, expect, it } from 'vitest'
import type { PickedFile } from '../picking/picked-file.ts'
import type { Kept } from './kept-files.ts'
import { sharedField, takeShare } from './take-share.ts'

/** Returns a keeper that keeps every file except those named 'refused'. */
function keeper() {
  const names: string[] = []
  return {
    names,
    async keep(picked: readonly PickedFile[]): Promise<Kept> {
      const refused = picked.filter(({ file }) => file.name === 'refused')
      for (const { file } of picked) names.push(file.name)
      return { kept: [], refused: refused.map(({ file }) => ({ file, fault: 'room' })) }
    },
  }
}

function share(entries: readonly (File | string)[]): Request {
  const body = new FormData()
  for (const entry of entries) body.append(sharedField, entry)
  return new Request('https://files.example.org/share', { method: 'POST', body })
}

describe('what a phone shares', () => {
  it('is kept, and the front page shows it', async () => {
    const kept = keeper()
    const shared = share([new File(['1'], 'one.jpg'), new File([], 'empty.txt')])
    expect(await takeShare(shared, kept)).toBe('/')
    expect(kept.names).toEqual(['one.jpg', 'empty.txt'])
  })

  it.each([
    ['cannot be kept', share([new File(['1'], 'refused')])],
    ['holds no file', share(['a text'])],
    ['is no form', new Request('https://files.example.org/share', { method: 'POST', body: '{}' })],
  ])('and %s leads to the page that says so', async (_what, request) => {
    expect(await takeShare(request, keeper())).toBe('/share')
  })
})
