import { expect, it } from 'vitest'
import { linkName } from './link-name.ts'

it.each([
  [{ title: null, fileCount: 0 }, 'a.txt'],
  [{ title: null, fileCount: 1 }, 'a.txt'],
  [{ title: null, fileCount: 2 }, 'a.txt and 1 more'],
  [{ title: null, fileCount: 1000 }, 'a.txt and 999 more'],
  [{ title: 'Holidays', fileCount: 1 }, 'Holidays'],
  [{ title: 'Holidays', fileCount: 1000 }, 'Holidays'],
])('names a link with %j %s', (link, name) => {
  expect(linkName({ ...link, firstFileName: 'a.txt' })).toBe(name)
})
