/** A file that a person gave for upload. */
export interface PickedFile {
  file: File
  /** Finds the file again after a reload. Few browsers give one. */
  handle?: FileSystemFileHandle | undefined
  /** True where the browser made the file from text or a picture in the clipboard. */
  pasted?: boolean | undefined
}
