import { expect, test } from 'vitest'
import { shortOfSpaceText } from './short-of-space.ts'

const gigabyte = 1024 ** 3

test('nothing is said while some upload fits', () => {
  expect(shortOfSpaceText({ free: 2, size: 10, floor: 1, minFree: 1 })).toBeNull()
})

test('the person who starts the server reads why every upload is refused', () => {
  const disk = { free: gigabyte, size: 10 * gigabyte, minFree: 0 }
  expect(shortOfSpaceText({ ...disk, floor: gigabyte })).toBe(
    'All uploads are refused for now: 1GB must stay free on the disk of DATA_DIR, and only 1 GB are. The checks in the Admin Center say what to do.',
  )
  expect(shortOfSpaceText({ ...disk, floor: 10 * gigabyte })).toMatch(
    /^All uploads are refused: 10GB must stay free .*, and the whole disk has 10 GB\. Set MIN_FREE_SPACE/,
  )
})
