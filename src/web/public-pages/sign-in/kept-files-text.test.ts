import { expect, test } from 'vitest'
import { keptFilesText } from './kept-files-text.ts'

function keep(...names: string[]) {
  return names.map((name) => ({ id: name, file: new File([], name), keptAt: 0 }))
}

test.each([
  [[], ''],
  [['a.pdf'], 'a.pdf is waiting in this browser. You can upload it after you sign in.'],
  [['a', 'b'], '2 files are waiting in this browser. You can upload them after you sign in.'],
])('the note about the kept files %j', (names, expected) => {
  expect(keptFilesText(keep(...names))).toBe(expected)
})
