/** A file dropped, pasted or chosen for upload. */
export interface PickedFile {
  file: File
  /** Lets the page read the file again after a reload. Chromium only. */
  handle?: FileSystemFileHandle | undefined
  /** True if the page created the file from clipboard text or a clipboard picture. */
  isPasted?: boolean | undefined
}
