import type { UploadSpace } from '../../src/server/space/disk-space.ts'

/** Free space controlled by a test. `left` is the number of bytes available to uploads. */
export interface TestSpace extends UploadSpace {
  left: number
  /** Returns the free space at the next measurement. Null changes nothing. */
  found: (() => Promise<number>) | null
}

/** Creates free space for uploads, unlimited by default. */
export function testSpace(left = Number.POSITIVE_INFINITY): TestSpace {
  const space: TestSpace = {
    left,
    found: null,
    async hasSpaceFor(bytes) {
      if (space.left < bytes && space.found) space.left = await space.found()
      return space.left >= bytes
    },
    take(bytes) {
      if (space.left < bytes) return false
      space.left -= bytes
      return true
    },
  }
  return space
}
