import { formatSize } from '../../../shared/rules/file-size.ts'
import type { FileIdentity } from '../records/upload-record.ts'

/** Systems write accents composed or apart: the name is the same. */
function isSameName(one: string, other: string) {
  return one.normalize() === other.normalize()
}

/**
 * Whether a file that was chosen is the one that an upload began with. Name and size must be equal.
 *
 * Where both were sampled, the samples decide and the date does not: a copy from a backup has another one.
 * Without samples the dates must be equal. A sample may overlook a change. The disk store finds it at the
 * end, when it compares the SHA-256 of the whole file.
 */
export function isSameFile(known: FileIdentity, chosen: FileIdentity): boolean {
  if (!isSameName(known.name, chosen.name) || known.size !== chosen.size) return false
  if (known.sample !== null && chosen.sample !== null) return known.sample === chosen.sample
  return known.lastModified === chosen.lastModified
}

/** Why a chosen file is refused, naming both. */
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

/** The size as people read it. In bytes where both would read the same. */
function sizeText({ size }: FileIdentity, other: FileIdentity): string {
  return formatSize(size) === formatSize(other.size)
    ? `${size.toLocaleString('en-US')} Bytes`
    : formatSize(size)
}

/**
 * Answers how a file is recognised. `sample` hashes samples of its bytes; null where it cannot.
 * @throws what `sample` throws where the file cannot be read
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
 * Compares a file that was chosen again with the one that an upload began with. Answers why it is refused;
 * null when it is the same. Reads no byte of a file whose name or size differs.
 * @throws what `sample` throws where the file cannot be read
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
