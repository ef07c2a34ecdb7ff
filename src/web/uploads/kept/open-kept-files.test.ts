import { describe, expect, it } from 'vitest'
import type { KeptFile } from './kept-files.ts'
import { openKeptFiles, problemToast } from './open-kept-files.ts'

const file = new File(['cut'], 'rough-cut.mov')

/**
 * Makes a handle. `readable`: the page may read its file. `granted` and `denied`: the browser asks
 * the user, who answers so. `gone`: the file no longer exists.
 */
function handleOf(answer: 'readable' | 'granted' | 'denied' | 'gone'): FileSystemFileHandle {
  let mayRead = answer === 'readable'
  const refusal = { granted: 'NotAllowedError', denied: 'NotAllowedError', gone: 'NotFoundError' }
  const handle = {
    kind: 'file',
    name: file.name,
    async getFile() {
      if (mayRead || answer === 'readable') return file
      throw Object.assign(new Error(answer), { name: refusal[answer] })
    },
    async requestPermission() {
      mayRead = answer === 'granted'
      return answer
    },
  }
  return handle as unknown as FileSystemFileHandle
}

function keptAs(content: KeptFile['content']): KeptFile {
  return { id: '1', name: file.name, size: file.size, keptAt: 0, content }
}

describe('a kept file', () => {
  it('of which there is a copy is opened without a question', async () => {
    const kept = keptAs({ file })
    expect(await openKeptFiles([kept])).toEqual({
      opened: [{ kept, picked: { file } }],
      forbidden: [],
      gone: [],
    })
  })

  it.each(['readable', 'granted'] as const)('whose handle is %s is opened', async (answer) => {
    const handle = handleOf(answer)
    const { opened } = await openKeptFiles([keptAs({ handle })])
    expect(opened.map(({ picked }) => picked)).toEqual([{ file, handle }])
  })

  it.each([
    ['denied', 'forbidden'],
    ['gone', 'gone'],
  ] as const)(
    'whose handle is %s counts as %s, and the others are opened',
    async (answer, list) => {
      const kept = keptAs({ handle: handleOf(answer) })
      const all = await openKeptFiles([kept, keptAs({ file })])
      expect(all[list]).toEqual([kept])
      expect(all.opened).toHaveLength(1)
    },
  )
})

describe('the toast about kept files that could not be opened', () => {
  const named = (name: string): KeptFile => ({ ...keptAs({ file }), name })

  it('is none where all were opened', () => {
    expect(problemToast({ forbidden: [], gone: [] })).toBeNull()
  })

  it.each([
    ['moved', [], ['a.mov', 'b.mov'], 'Could not be found'],
    ['forbidden', ['a.mov', 'b.mov'], [], 'Could not be read'],
    ['of both kinds', ['a.mov'], ['b.mov'], 'Could not be opened'],
  ])('names all that are %s', (_, forbidden, gone, title) => {
    const toast = problemToast({ forbidden: forbidden.map(named), gone: gone.map(named) })
    expect(toast).toMatchObject({ title, tone: 'destructive' })
    for (const name of ['a.mov', 'b.mov']) expect(toast?.description).toContain(name)
    expect(toast?.description?.includes('moved or removed since')).toBe(gone.length > 0)
    expect(toast?.description?.includes('no right to read')).toBe(forbidden.length > 0)
  })
})
