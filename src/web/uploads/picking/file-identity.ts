import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { FileIdentity } from '../records/upload-record.ts'

/**
 * True when two file names are equal. Some systems store an accented letter as one character,
 * others as letter and accent. Both count as equal.
 */
function isSameName(one: string, other: string) {
  return one.normalize() === other.normalize()
}

/**
 * True when a chosen file is the one that an upload began with. Name and size must be equal.
 *
 * If both have a sample (a hash over some of the bytes), the samples decide, and the date does not
 * count: a copy from a backup has another date. If one of them has none, the dates must be equal. A
 * sample may miss a change. On the disk store, the server finds that change at the end, when it
 * compares the SHA-256 of the whole file.
 */
export function isSameFile(known: FileIdentity, chosen: FileIdentity): boolean {
  if (!isSameName(known.name, chosen.name) || known.size !== chosen.size) return false
  if (known.sample !== null && chosen.sample !== null) return known.sample === chosen.sample
  return known.lastModified === chosen.lastModified
}

/** Returns the text that says why a chosen file is refused. It names the expected file too. */
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

/**
 * Returns the size as people read it. Where both sizes would read the same, returns it in bytes.
 */
function sizeText({ size }: FileIdentity, other: FileIdentity): string {
  return formatSize(size) === formatSize(other.size)
    ? `${size.toLocaleString('en-US')} Bytes`
    : formatSize(size)
}

/**
 * Returns the facts by which a file is recognised later. `sample` hashes some of its bytes; it
 * returns null where the browser cannot.
 * @throws the error of `sample` when the file cannot be read
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
 * Compares a chosen file with the one that an upload began with. Returns why the chosen file is
 * refused, or null when it is the same. Reads no byte of a file whose name or size differs.
 * @throws the error of `sample` when the file cannot be read
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
