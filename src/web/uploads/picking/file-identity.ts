import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { FileIdentity } from '../records/upload-record.ts'

/** Compares file names regardless of Unicode normalization. */
function isSameName(one: string, other: string) {
  return one.normalize() === other.normalize()
}

/** True if two files match by name, size and date. */
export function isSameFile(known: FileIdentity, file: FileIdentity): boolean {
  return refuseOtherFile(known, file) === null && known.lastModified === file.lastModified
}

/**
 * Returns why a chosen file can't be the one that was being uploaded, or null if it can. The date
 * may differ, as in a copy from a backup, because the transfer compares the bytes.
 */
export function refuseOtherFile(known: FileIdentity, chosen: FileIdentity): string | null {
  if (!isSameName(known.name, chosen.name)) {
    return `${chosen.name} is not ${known.name}. Choose ${known.name} to go on with its upload.`
  }
  if (known.size === chosen.size) return null
  const sizes = `it has ${sizeText(chosen, known)}, not ${sizeText(known, chosen)}`
  return `This ${chosen.name} is not the ${known.name} whose upload was paused: ${sizes}.`
}

/** Formats a size, in bytes if the rounded sizes would be equal. */
function sizeText({ size }: FileIdentity, other: FileIdentity): string {
  return formatSize(size) === formatSize(other.size)
    ? `${size.toLocaleString('en-US')} Bytes`
    : formatSize(size)
}
