import { formatSize, formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import type { DiskFigures } from './disk-space.ts'

/**
 * Returns a sentence for the person who starts the server, if it refuses every upload for want of
 * space on its disk. Returns null if it takes some.
 */
export function shortOfSpaceText({ free, size, floor }: DiskFigures): string | null {
  if (free > floor) return null
  const found = `${formatSizeLimit(floor)} must stay free on the disk of DATA_DIR`
  const more = 'The checks in the Admin Center say what to do.'
  if (floor >= size) {
    return `All uploads are refused: ${found}, and the whole disk has ${formatSize(size)}. Set MIN_FREE_SPACE to less, or enlarge the disk. ${more}`
  }
  return `All uploads are refused for now: ${found}, and only ${formatSize(free)} are. ${more}`
}
