/** A file that a person dropped, pasted or chose for upload. */
export interface PickedFile {
  file: File
  /** With the handle, the page finds the file again after a reload. Only Chromium gives handles. */
  handle?: FileSystemFileHandle | undefined
  /** True where the page made the file from text or a picture in the clipboard. */
  pasted?: boolean | undefined
}
