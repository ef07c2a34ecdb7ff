import { cleanFileName, insertBeforeExtension } from './file-name.ts'

/** Matches the names of Windows devices, with any extension. */
const deviceNames = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(\.|$)/iu

/**
 * Returns the names of an archive's entries, in order, which every system can extract into one
 * folder. They are clean as `cleanFileName` makes them, have no trailing dots, don't name a device,
 * and are unique even if case is ignored: "a.txt" is followed by "a (2).txt". A name depends only
 * on those before it.
 */
export function zipNames(fileNames: readonly string[]): string[] {
  const taken = new Set<string>()
  const lastNumbers = new Map<string, number>()
  return fileNames.map((fileName) => {
    const name = safeName(fileName)
    let number = lastNumbers.get(foldCase(name)) ?? 1
    let uniqueName = name
    while (taken.has(foldCase(uniqueName))) {
      number += 1
      uniqueName = insertBeforeExtension(name, ` (${number})`)
    }
    taken.add(foldCase(uniqueName))
    lastNumbers.set(foldCase(name), number)
    return uniqueName
  })
}

function safeName(fileName: string): string {
  const name = withoutTrailingDots(cleanFileName(fileName))
  return deviceNames.test(name) ? withoutTrailingDots(cleanFileName(`_${name}`)) : name
}

/** Windows drops trailing dots and spaces, so that two names could become one. */
function withoutTrailingDots(name: string): string {
  return name.replace(/[. ]+$/u, '')
}

/** Names that differ in case, as in "Straße" and "STRASSE", fold to the same text. */
function foldCase(name: string): string {
  return name.toLowerCase().toUpperCase().normalize('NFC')
}
