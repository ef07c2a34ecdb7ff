import type { UploadSpace } from '../../src/server/space/disk-space.ts'

/** Free space that a test sets. `left` is how many bytes uploads may still take. */
export interface TestSpace extends UploadSpace {
  left: number
  /**
   * Returns how many bytes are free when the disk is read again. If null, reading it again changes
   * nothing.
   */
  found: (() => Promise<number>) | null
}

/** Makes free space for uploads. Without `left`, it is unlimited. */
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
