import type { UploadSpace } from '../../src/server/space/disk-space.ts'

/** Free space for uploads, as set by a test. `freeBytes` is the number of bytes available. */
export interface TestSpace extends UploadSpace {
  freeBytes: number
  /**
   * Called to measure the free space again when `freeBytes` is too low. If null, `freeBytes` stays
   * as it is.
   */
  measureFreeBytes: (() => Promise<number>) | null
}

/** Simulates free space for uploads. It is unlimited by default. */
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
