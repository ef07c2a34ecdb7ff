import { describe, expect, it } from 'vitest'
import { fileEmail, takedownEmail } from './files.ts'

const endsAt = '9 November 2030, 12:00 UTC'

function makeFiles(count: number, isOpen = true) {
  return Array.from({ length: count }, (_, n) => ({ name: `file-${n}.txt`, endsAt, isOpen }))
}

function makeEmail(
  kind: Parameters<typeof fileEmail>[0],
  changes: Partial<Parameters<typeof fileEmail>[1]> = {},
) {
  return fileEmail(kind, {
    name: 'Ada',
    namesFiles: true,
    links: makeFiles(1),
    fileManager: 'https://files.example.org/?tab=manager',
    ...changes,
  })
}

it.each([
  ['first-download', 1, '1 of your links was downloaded for the first time'],
  ['first-download', 2, '2 of your links were downloaded for the first time'],
  ['link-ends', 1, '1 of your links expires within a day'],
  ['link-ends', 1000, '1000 of your links expire within a day'],
] as const)('the %s email about %i files starts with the count', (kind, count, summary) => {
  const { subject, heading, blocks } = makeEmail(kind, { links: makeFiles(count) })
  expect([subject, heading]).toEqual([summary, summary])
  expect(blocks[0]).toEqual({ kind: 'paragraph', text: `Hello Ada, ${summary}.` })
})

describe('the file list of an email', () => {
  const namedBlocks = (count: number) =>
    makeEmail('link-ends', { links: makeFiles(count) }).blocks.filter((block) => 'strong' in block)
  const noteBlocks = (count: number) =>
    makeEmail('link-ends', { links: makeFiles(count) }).blocks.filter(({ kind }) => kind === 'note')

  it('names up to ten files and counts the rest', () => {
    expect(namedBlocks(10)).toHaveLength(10)
    expect(noteBlocks(10)).toEqual([])
    expect(namedBlocks(11)).toHaveLength(10)
    expect(noteBlocks(11)).toEqual([{ kind: 'note', text: 'and 1 more' }])
    expect(noteBlocks(1000)).toEqual([{ kind: 'note', text: 'and 990 more' }])
  })

  it.each([
    [true, `until ${endsAt}`],
    [false, `expired ${endsAt}`],
  ])('with active links (%s) reads "%s"', (isOpen, text) => {
    const { blocks } = makeEmail('first-download', { links: makeFiles(1, isOpen) })
    expect(blocks).toContainEqual({ kind: 'paragraph', strong: 'file-0.txt', text })
  })

  it('names neither files nor the owner to an unverified address', () => {
    const content = makeEmail('link-ends', { name: null, namesFiles: false, links: makeFiles(20) })
    expect(JSON.stringify(content)).not.toMatch(/file-\d|Ada|more/)
    expect(content.blocks[0]).toEqual({
      kind: 'paragraph',
      text: 'Hello, 20 of your links expire within a day.',
    })
  })
})

it('every email links to the setting that enabled it', () => {
  for (const kind of ['first-download', 'link-ends'] as const) {
    expect(makeEmail(kind).blocks.at(-1)).toMatchObject({
      kind: 'button',
      href: 'https://files.example.org/?tab=manager',
      note: expect.stringContaining('turn it off there.'),
    })
  }
})

const details = {
  name: 'Ada',
  fileNames: ['invoice.pdf'],
  count: 1,
  reason: 'It is a trap.\n\nSorry.',
  takenDownAt: 'Tue 24 Nov 2026, 14:02 UTC',
  supportEmail: 'support@example.org',
}

function takedownTexts(changes: Partial<typeof details> = {}) {
  const { subject, blocks } = takedownEmail({ ...details, ...changes })
  const blockTexts = blocks.map((block) => {
    const strong = 'strong' in block && block.strong ? `${block.strong} ` : ''
    return 'text' in block ? strong + block.text : ''
  })
  return [subject, ...blockTexts]
}

it('a takedown email names the only file, the reason and the support address', () => {
  expect(takedownTexts()).toEqual([
    '1 of your files was taken down',
    'Hello Ada, on Tue 24 Nov 2026, 14:02 UTC 1 of your files was taken down. Its link is closed, and the content is being deleted.',
    'invoice.pdf',
    'The reason: It is a trap.',
    'Sorry.',
    'The same content cannot be uploaded here again, under any name.',
    'Do you think this is a mistake? Answer this email, or write to support@example.org.',
  ])
})

it('a takedown email names ten of many files, and none to an unverified address', () => {
  const fileNames = Array.from({ length: 12 }, (_, n) => `${n}.pdf`)
  const texts = takedownTexts({ fileNames, count: 12 })
  expect(texts[0]).toBe('12 of your files were taken down')
  expect(texts[1]).toContain('Their links are closed')
  expect(texts).toContain('9.pdf')
  expect(texts).not.toContain('10.pdf')
  expect(texts).toContain('and 2 more')
  expect(takedownTexts({ fileNames: [], count: 3 }).join('\n')).not.toContain('.pdf')
})
