import type { UploadSpace } from '../../src/server/space/disk-space.ts'

/** Free space that a test sets. `left` is how many bytes uploads may still take. */
export interface TestSpace extends UploadSpace {
  left: number
  /** Returns the free bytes that a look at the disk finds. If null, a look changes nothing. */
  found: (() => Promise<number>) | null
}

/** Makes space for uploads. Without `left`, it is unlimited. */
export function testSpace(left = Number.POSITIVE_INFINITY): TestSpace {
  const space: TestSpace = {
    left,
    found: null,
    room: () => space.left,
    async look() {
      if (space.found) space.left = await space.found()
    },
    take(bytes) {
      space.left -= bytes
    },
  }
  return space
}
