import type { UploadSpace } from '../../src/server/space/disk-space.ts'

/** Free space set by a test. `left` is how many bytes uploads may take. */
export interface TestSpace extends UploadSpace {
  left: number
  /** The free space found by the next measurement; null for no change. */
  found: (() => Promise<number>) | null
}

/** Creates free space for uploads, unlimited without `left`. */
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
