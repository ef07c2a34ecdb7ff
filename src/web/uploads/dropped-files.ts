/** What somebody let go of over the page. */
export interface Drop {
  files: File[]
  /** Names of folders; a browser gives no bytes for them. */
  folders: string[]
}

/** The part of `DataTransfer` that a drop is read from. */
interface DropItem {
  kind: string
  getAsFile(): File | null
  webkitGetAsEntry?(): { isDirectory: boolean } | null
}

/** Tells files from folders, which browsers also hand over as files that cannot be read. */
export const readDrop = (items: Iterable<DropItem>): Drop => {
  const drop: Drop = { files: [], folders: [] }
  for (const item of items) {
    if (item.kind !== 'file') continue
    const isFolder = item.webkitGetAsEntry?.()?.isDirectory ?? false
    const file = item.getAsFile()
    if (!file) continue
    if (isFolder) drop.folders.push(file.name)
    else drop.files.push(file)
  }
  return drop
}
