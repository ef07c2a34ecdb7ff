import { expect, it } from 'vitest'
import { cureParts } from './cure-parts.ts'

/** Writes the parts as one text, with each link as [text](#section). */
function linked(cure: string): string {
  return cureParts(cure)
    .map(({ text, section }) => (section === null ? text : `[${text}](#${section})`))
    .join('')
}

it('tells parts that are equal apart by their place', () => {
  const parts = cureParts('under Reports or under Reports')
  expect(parts.map(({ at }) => at)).toEqual([0, 6, 13, 23, 30])
})

it.each([
  ['Look at each under Reports.', 'Look at each under [Reports](#reports).'],
  [
    'Raise the cap under Limits ("Bytes in storage at most"), or delete a user under Users',
    'Raise the cap under [Limits](#limits) ("Bytes in storage at most"), or delete a user under [Users](#users)',
  ],
  ['See under Audit log.', 'See under [Audit log](#audit).'],
  ['Restart the server.', 'Restart the server.'],
  ['Reports name the thunder Limits and under Limitsville.', null],
  ['', null],
])('%s', (cure, text) => {
  expect(linked(cure)).toBe(text ?? cure)
  expect(
    cureParts(cure)
      .map((part) => part.text)
      .join(''),
  ).toBe(cure)
})
