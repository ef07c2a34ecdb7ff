import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { FileIdentity } from '../records/upload-record.ts'

/** Compares file names regardless of Unicode normalization. */
function isSameName(a: string, b: string) {
  return a.normalize() === b.normalize()
}

/** True if two files have the same name, size and modification date. */
export function isSameFile(expected: FileIdentity, file: FileIdentity): boolean {
  return mismatchText(expected, file) === null && expected.lastModified === file.lastModified
}

/**
 * Returns an error text if this can't be the file that was being uploaded, otherwise null. A
 * different date is accepted, because the file may have been restored from a backup and the
 * transfer compares the bytes.
 */
export function mismatchText(expected: FileIdentity, file: FileIdentity): string | null {
  if (!isSameName(expected.name, file.name)) {
    return `${file.name} is not ${expected.name}. Choose ${expected.name} to go on with its upload.`
  }
  if (expected.size === file.size) return null
  const sizesText = `it has ${sizeText(file, expected)}, not ${sizeText(expected, file)}`
  return `This ${file.name} is not the ${expected.name} whose upload was paused: ${sizesText}.`
}

/**
 * Formats a file's size for comparison with another. Uses bytes if the rounded sizes would look the
 * same.
 */
function sizeText({ size }: FileIdentity, other: FileIdentity): string {
  return formatSize(size) === formatSize(other.size)
    ? `${size.toLocaleString('en-US')} Bytes`
    : formatSize(size)
}
