import { describe, expect, it } from 'vitest'
import { browserFileKeptMs } from '../../../shared/rules/files/kept-times.ts'
import { createKeptFiles, type KeptFile, type KeptPorts, mostKept } from './kept-files.ts'

const mebibyte = 1024 ** 2

function fileOf(size: number, name = 'rough-cut.mov'): File {
  return Object.defineProperty(new File([], name), 'size', { value: size })
}

const handle = { kind: 'file', name: 'rough-cut.mov' } as FileSystemFileHandle

/**
 * Makes a `KeptFiles` that stores in memory. If `refuses` returns an error for a file, storing it
 * fails.
 */
function keeper({
  refuses = () => null,
  ...ports
}: Partial<KeptPorts> & { refuses?: (file: KeptFile) => Error | null } = {}) {
  const stored = new Map<string, KeptFile>()
  let time = 1_000_000
  let ids = 0
  const files = createKeptFiles({
    table: {
      async add(added) {
        // One transaction stores all of them, or none.
        for (const file of added) {
          const error = refuses(file)
          if (error) throw error
        }
        for (const file of added) stored.set(file.id, file)
      },
      all: async () => [...stored.values()].reverse(),
      async remove(removed) {
        for (const id of removed) stored.delete(id)
      },
    },
    room: async () => null,
    now: () => time,
    newId: () => String(ids++).padStart(3, '0'),
    ...ports,
  })
  return {
    ...files,
    stored,
    pass: (ms: number) => {
      time += ms
    },
  }
}

function namesOf(files: readonly { name: string }[]) {
  return files.map(({ name }) => name)
}

describe('a file that waits', () => {
  it('is found again, in the order in which the files came', async () => {
    const files = keeper()
    await files.keep([{ file: fileOf(1, 'b') }, { file: fileOf(2, 'a') }])
    files.pass(1)
    await files.keep([{ file: fileOf(3, 'c') }])
    expect(namesOf(await files.list())).toEqual(['b', 'a', 'c'])
  })

  it('is gone when it is removed, and after a day', async () => {
    const files = keeper()
    const { kept } = await files.keep([{ file: fileOf(1, 'one') }, { file: fileOf(1, 'two') }])
    await files.remove([kept[0]?.id ?? ''])
    expect(namesOf(await files.list())).toEqual(['two'])
    files.pass(browserFileKeptMs - 1)
    expect(namesOf(await files.list())).toEqual(['two'])
    files.pass(1)
    expect(await files.list()).toEqual([])
    expect(files.stored.size).toBe(0)
  })
})

describe('the bytes of a file', () => {
  it.each([
    ['small', mebibyte, true, 'file'],
    ['large', 800 * mebibyte, true, 'handle'],
    ['large without a handle', 800 * mebibyte, false, 'file'],
  ])('that is %s', async (_what, size, hasHandle, expected) => {
    const files = keeper({ room: async () => 1000 * mebibyte })
    const { kept } = await files.keep([{ file: fileOf(size), ...(hasHandle && { handle }) }])
    expect(Object.keys(kept[0]?.content ?? {})).toEqual([expected])
  })

  it('are copied where the browser cannot store the handle', async () => {
    const files = keeper({
      refuses: ({ content }) => ('handle' in content ? new Error('DataCloneError') : null),
    })
    const { kept } = await files.keep([{ file: fileOf(800 * mebibyte), handle }])
    expect(kept[0]?.content).toHaveProperty('file')
  })
})

describe('a file is refused', () => {
  const full = Object.assign(new Error('full'), { name: 'QuotaExceededError' })

  it.each([
    ['room', 'the browser says it has no room', { room: async () => mebibyte - 1 }],
    ['room', 'the browser finds out that it has no room', { refuses: () => full }],
    ['browser', 'the browser stores no files', { refuses: () => new Error('InvalidState') }],
  ])('for %s: %s', async (fault, _why, ports) => {
    const files = keeper(ports)
    const file = fileOf(mebibyte)
    expect(await files.keep([{ file }])).toEqual({ kept: [], refused: [{ file, fault }] })
    expect(await files.list()).toEqual([])
  })

  it('alone, and the others are kept', async () => {
    const files = keeper({ refuses: ({ name }) => (name === 'two' ? full : null) })
    const outcome = await files.keep(
      ['one', 'two', 'three'].map((name) => ({ file: fileOf(1, name) })),
    )
    expect(namesOf(outcome.kept)).toEqual(['one', 'three'])
    expect(outcome.refused.map(({ file }) => file.name)).toEqual(['two'])
  })

  it('when too many wait', async () => {
    const files = keeper()
    const many = Array.from({ length: mostKept - 1 }, () => ({ file: fileOf(1) }))
    await files.keep(many)
    const { kept, refused } = await files.keep([{ file: fileOf(1) }, { file: fileOf(1) }])
    expect([kept.length, refused.map(({ fault }) => fault)]).toEqual([1, ['number']])
  })
})

describe('files that are kept together', () => {
  const full = Object.assign(new Error('full'), { name: 'QuotaExceededError' })
  const files = ['one', 'two', 'three'].map((name) => fileOf(mebibyte, name))

  it('all wait, in their order', async () => {
    const kept = keeper({ room: async () => 3 * mebibyte })
    expect(await kept.keepTogether(files)).toBeNull()
    expect(namesOf(await kept.list())).toEqual(['one', 'two', 'three'])
  })

  it.each([
    ['room', 'the browser has room for some', { room: async () => 3 * mebibyte - 1 }],
    [
      'room',
      'the browser finds out at the last one',
      { refuses: ({ name }: KeptFile) => (name === 'three' ? full : null) },
    ],
    ['browser', 'the browser stores no files', { refuses: () => new Error('InvalidState') }],
  ])('do not wait at all, for %s: %s', async (fault, _why, ports) => {
    const kept = keeper(ports)
    expect(await kept.keepTogether(files)).toBe(fault)
    expect(await kept.list()).toEqual([])
  })

  it('do not wait at all if too many files would wait then', async () => {
    const kept = keeper()
    await kept.keep(Array.from({ length: mostKept - 2 }, () => ({ file: fileOf(1) })))
    expect(await kept.keepTogether(files)).toBe('number')
    expect(await kept.keepTogether(files.slice(1))).toBeNull()
    expect(await kept.list()).toHaveLength(mostKept)
  })
})

it('a browser without a database keeps nothing, and says so without failing', async () => {
  const broken = () => Promise.reject(new Error('no IndexedDB'))
  const files = createKeptFiles({
    table: { add: broken, all: broken, remove: broken },
    room: broken,
    now: () => 0,
    newId: () => 'id',
  })
  expect(await files.list()).toEqual([])
  await files.remove(['id'])
  expect((await files.keep([{ file: fileOf(1) }])).refused).toMatchObject([{ fault: 'browser' }])
  expect(await files.keepTogether([fileOf(1)])).toBe('browser')
})
