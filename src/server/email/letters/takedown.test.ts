import { expect, it } from 'vitest'
import { takedownLetter } from './takedown.ts'

const facts = {
  name: 'Ada',
  fileNames: ['invoice.pdf'],
  count: 1,
  reason: 'It is a trap.\n\nSorry.',
  takenDownAt: 'Tue 24 Nov 2026, 14:02 UTC',
  supportEmail: 'support@example.org',
}

function textsOf(changes: Partial<typeof facts> = {}) {
  const { subject, blocks } = takedownLetter({ ...facts, ...changes })
  const texts = blocks.map((block) => {
    const strong = 'strong' in block && block.strong ? `${block.strong} ` : ''
    return 'text' in block ? strong + block.text : ''
  })
  return [subject, ...texts]
}

it('tells of one file what happened, why, and whom to write to', () => {
  expect(textsOf()).toEqual([
    '1 file of yours was taken down',
    'Hello Ada, on Tue 24 Nov 2026, 14:02 UTC we took down 1 file of yours. Its link is closed, and the bytes are being deleted.',
    'invoice.pdf',
    'The reason: It is a trap.',
    'Sorry.',
    'The same content cannot be uploaded here again, under whatever name.',
    'Do you think that this is a mistake? Answer to this email, or write to support@example.org.',
  ])
})

it('names ten of many files, and none to an address that is not verified', () => {
  const fileNames = Array.from({ length: 12 }, (_, n) => `${n}.pdf`)
  const many = textsOf({ fileNames, count: 12 })
  expect(many[0]).toBe('12 files of yours were taken down')
  expect(many[1]).toContain('Their links are closed')
  expect(many).toContain('9.pdf')
  expect(many).not.toContain('10.pdf')
  expect(many).toContain('and 2 more')
  expect(textsOf({ fileNames: [], count: 3 }).join('\n')).not.toContain('.pdf')
})
