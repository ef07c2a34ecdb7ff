import { formatSize } from '../../../shared/rules/file-size.ts'
import type { FileIdentity } from '../records/upload-record.ts'

/** The same name, whether the system writes its accents composed or apart. */
const isSameName = (one: string, other: string) => one.normalize() === other.normalize()

/**
 * Whether a file that was chosen is the one that an upload began with. Name and size must be equal.
 *
 * The bytes decide over the date: where both were sampled, equal samples make it the same file
 * whatever its date, since a copy from a backup or a stick carries another one, and unequal samples
 * make it another. Only without samples must the dates be equal. What a sample overlooks the disk
 * store finds at the end, when it compares the SHA-256 of the whole file.
 */
export const isSameFile = (known: FileIdentity, chosen: FileIdentity): boolean => {
  if (!isSameName(known.name, chosen.name) || known.size !== chosen.size) return false
  if (known.sample !== null && chosen.sample !== null) return known.sample === chosen.sample
  return known.lastModified === chosen.lastModified
}

/** Why a chosen file is refused, naming both. */
export const otherFileText = (known: FileIdentity, chosen: FileIdentity): string => {
  if (!isSameName(known.name, chosen.name)) {
    return `${chosen.name} is not ${known.name}. Choose ${known.name} to go on with its upload.`
  }
  return `This ${chosen.name} is not the ${known.name} whose upload was paused: ${differenceText(known, chosen)}.`
}

const differenceText = (known: FileIdentity, chosen: FileIdentity): string => {
  if (known.size !== chosen.size) {
    return `it has ${sizeText(chosen, known)}, not ${sizeText(known, chosen)}`
  }
  const wereRead = known.sample !== null && chosen.sample !== null
  return wereRead ? 'its content has changed' : 'it has another date'
}

/** The size as people read it; in bytes where that would hide the difference. */
const sizeText = ({ size }: FileIdentity, other: FileIdentity): string =>
  formatSize(size) === formatSize(other.size)
    ? `${size.toLocaleString('en-US')} Bytes`
    : formatSize(size)

/**
 * What a file is recognised by. `sample` hashes samples of its bytes; where it cannot, it answers null.
 * @throws what `sample` throws where the file cannot be read
 */
export const identify = async (
  file: File,
  sample: (file: File) => Promise<string | null>,
): Promise<FileIdentity> => ({ ...nameOf(file), sample: await sample(file) })

const nameOf = ({ name, size, lastModified }: File): FileIdentity => ({
  name,
  size,
  lastModified,
  sample: null,
})

/**
 * Recognises a file that was chosen again; answers why not, or null when it is the same. Reads no byte
 * of a file whose name or size already differs.
 * @throws what `sample` throws where the file cannot be read
 */
export const refuseOtherFile = async (
  known: FileIdentity,
  file: File,
  sample: (file: File) => Promise<string | null>,
): Promise<string | null> => {
  const byName = nameOf(file)
  const isPossible = isSameFile(
    { ...known, lastModified: byName.lastModified, sample: null },
    byName,
  )
  const chosen = isPossible && known.sample !== null ? await identify(file, sample) : byName
  return isSameFile(known, chosen) ? null : otherFileText(known, chosen)
}
