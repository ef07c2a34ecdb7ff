import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { FileIdentity } from '../records/upload-record.ts'

/** True if two file names are equal, whether their accents are composed or not. */
function isSameName(one: string, other: string) {
  return one.normalize() === other.normalize()
}

/**
 * True if a chosen file is the one that an upload began with: name and size are equal, and so is
 * the sample (a hash over some of the bytes) or, without samples, the date. A copy from a backup
 * has another date.
 */
export function isSameFile(known: FileIdentity, chosen: FileIdentity): boolean {
  if (!isSameName(known.name, chosen.name) || known.size !== chosen.size) return false
  if (known.sample !== null && chosen.sample !== null) return known.sample === chosen.sample
  return known.lastModified === chosen.lastModified
}

/** Says why a chosen file is refused, and which one is expected. */
export function otherFileText(known: FileIdentity, chosen: FileIdentity): string {
  if (!isSameName(known.name, chosen.name)) {
    return `${chosen.name} is not ${known.name}. Choose ${known.name} to go on with its upload.`
  }
  return `This ${chosen.name} is not the ${known.name} whose upload was paused: ${differenceText(known, chosen)}.`
}

function differenceText(known: FileIdentity, chosen: FileIdentity): string {
  if (known.size !== chosen.size) {
    return `it has ${sizeText(chosen, known)}, not ${sizeText(known, chosen)}`
  }
  const wereRead = known.sample !== null && chosen.sample !== null
  return wereRead ? 'its content has changed' : 'it has another date'
}

/** Returns a size, in bytes if both sizes would read the same. */
function sizeText({ size }: FileIdentity, other: FileIdentity): string {
  return formatSize(size) === formatSize(other.size)
    ? `${size.toLocaleString('en-US')} Bytes`
    : formatSize(size)
}

/**
 * Returns the facts by which a file is recognised later.
 * @param sample hashes some of the bytes; null if the browser cannot.
 * @throws the error of `sample` if the file cannot be read.
 */
export async function identify(
  file: File,
  sample: (file: File) => Promise<string | null>,
): Promise<FileIdentity> {
  return { ...nameOf(file), sample: await sample(file) }
}

function nameOf({ name, size, lastModified }: File): FileIdentity {
  return {
    name,
    size,
    lastModified,
    sample: null,
  }
}

/**
 * Returns why a chosen file is not the one that an upload began with, or null if it is. Reads the
 * file only if its name and size match.
 * @throws the error of `sample` if the file cannot be read.
 */
export async function refuseOtherFile(
  known: FileIdentity,
  file: File,
  sample: (file: File) => Promise<string | null>,
): Promise<string | null> {
  const byName = nameOf(file)
  const isPossible = isSameFile(
    { ...known, lastModified: byName.lastModified, sample: null },
    byName,
  )
  const chosen = isPossible && known.sample !== null ? await identify(file, sample) : byName
  return isSameFile(known, chosen) ? null : otherFileText(known, chosen)
}
