import type { UploadSpace } from '../../src/server/space/disk-space.ts'

/** Upload space controlled by a test. `freeBytes` is the number of bytes available to uploads. */
export interface TestSpace extends UploadSpace {
  freeBytes: number
  /**
   * Measures the free space again when `freeBytes` is too low. If null, `freeBytes` doesn't change.
   */
  measureFreeBytes: (() => Promise<number>) | null
}

/** Creates upload space that is unlimited by default. */
export function testSpace(freeBytes = Number.POSITIVE_INFINITY): TestSpace {
  const space: TestSpace = {
    freeBytes,
    measureFreeBytes: null,
    async hasSpaceFor(bytes) {
      if (space.freeBytes < bytes && space.measureFreeBytes)
        space.freeBytes = await space.measureFreeBytes()
      return space.freeBytes >= bytes
    },
    reserveSpace(bytes) {
      if (space.freeBytes < bytes) return false
      space.freeBytes -= bytes
      return true
    },
  }
  return space
}
