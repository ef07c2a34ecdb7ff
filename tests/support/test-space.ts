import type { UploadSpace } from '../../src/server/space/disk-space.ts'

/** Free space that a test sets: `left` bytes above the floor, of which uploads take. */
export interface TestSpace extends UploadSpace {
  left: number
  /** What a look at the disk finds; without it, what is known already. */
  found: (() => Promise<number>) | null
}

/** Space for uploads; without an end where none is given. */
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
