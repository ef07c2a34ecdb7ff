import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { FileIdentity } from '../records/upload-record.ts'

/** True if two file names are equal, whether their accents are composed or not. */
function isSameName(one: string, other: string) {
  return one.normalize() === other.normalize()
}

/** True if a file is the one that an upload began with, by its name, size and date. */
export function isSameFile(known: FileIdentity, file: FileIdentity): boolean {
  return refuseOtherFile(known, file) === null && known.lastModified === file.lastModified
}

/**
 * Returns why a chosen file is not the one that an upload began with, or null if it may be. Its
 * date may differ, as that of a copy from a backup. The transfer then compares the bytes.
 */
export function refuseOtherFile(known: FileIdentity, chosen: FileIdentity): string | null {
  if (!isSameName(known.name, chosen.name)) {
    return `${chosen.name} is not ${known.name}. Choose ${known.name} to go on with its upload.`
  }
  if (known.size === chosen.size) return null
  const sizes = `it has ${sizeText(chosen, known)}, not ${sizeText(known, chosen)}`
  return `This ${chosen.name} is not the ${known.name} whose upload was paused: ${sizes}.`
}

/** Returns a size, in bytes if both sizes would read the same. */
function sizeText({ size }: FileIdentity, other: FileIdentity): string {
  return formatSize(size) === formatSize(other.size)
    ? `${size.toLocaleString('en-US')} Bytes`
    : formatSize(size)
}
