import { describe, expect, it } from 'vitest'
import { fileLetter } from './files.ts'

const endsAt = '9 November 2030, 12:00 UTC'

function files(count: number, isOpen = true) {
  return Array.from({ length: count }, (_, n) => ({ name: `file-${n}.txt`, endsAt, isOpen }))
}

function letter(
  kind: Parameters<typeof fileLetter>[0],
  changes: Partial<Parameters<typeof fileLetter>[1]> = {},
) {
  return fileLetter(kind, {
    name: 'Ada',
    namesFiles: true,
    files: files(1),
    fileManager: 'https://files.example.org/?tab=manager',
    ...changes,
  })
}

it.each([
  ['first-download', 1, '1 file of yours was downloaded for the first time'],
  ['first-download', 2, '2 files of yours were downloaded for the first time'],
  ['link-ends', 1, '1 link of yours ends within a day'],
  ['link-ends', 1000, '1000 links of yours end within a day'],
] as const)('the letter %s about %i says so at once', (kind, count, told) => {
  const { subject, heading, blocks } = letter(kind, { files: files(count) })
  expect([subject, heading]).toEqual([told, told])
  expect(blocks[0]).toEqual({ kind: 'paragraph', text: `Hello Ada, ${told}.` })
})

describe('the files of a letter', () => {
  const named = (count: number) =>
    letter('link-ends', { files: files(count) }).blocks.filter((block) => 'strong' in block)
  const notes = (count: number) =>
    letter('link-ends', { files: files(count) }).blocks.filter(({ kind }) => kind === 'note')

  it('are named, ten at most, and the others are counted', () => {
    expect(named(10)).toHaveLength(10)
    expect(notes(10)).toEqual([])
    expect(named(11)).toHaveLength(10)
    expect(notes(11)).toEqual([{ kind: 'note', text: 'and 1 more' }])
    expect(notes(1000)).toEqual([{ kind: 'note', text: 'and 990 more' }])
  })

  it.each([
    [true, `until ${endsAt}`],
    [false, `ended ${endsAt}`],
  ])('that are open (%s) read "%s"', (isOpen, text) => {
    const { blocks } = letter('first-download', { files: files(1, isOpen) })
    expect(blocks).toContainEqual({ kind: 'paragraph', strong: 'file-0.txt', text })
  })

  it('and their owner are not named to an address that nobody has verified', () => {
    const content = letter('link-ends', { name: null, namesFiles: false, files: files(20) })
    expect(JSON.stringify(content)).not.toMatch(/file-\d|Ada|more/)
    expect(content.blocks[0]).toEqual({
      kind: 'paragraph',
      text: 'Hello, 20 links of yours end within a day.',
    })
  })
})

it('every letter leads to the setting that asked for it', () => {
  for (const kind of ['first-download', 'link-ends'] as const) {
    expect(letter(kind).blocks.at(-1)).toMatchObject({
      kind: 'button',
      href: 'https://files.example.org/?tab=manager',
      note: expect.stringContaining('Turn it off there.'),
    })
  }
})
