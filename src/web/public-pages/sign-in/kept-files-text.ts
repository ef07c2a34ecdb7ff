import type { KeptFile } from '../../uploads/kept/kept-files.ts'

/** Says which files are kept in this browser until their owner has signed in. Empty without any. */
export function keptFilesText(files: readonly KeptFile[]): string {
  const [firstFile] = files
  if (firstFile === undefined) return ''
  return files.length === 1
    ? `${firstFile.file.name} is waiting in this browser. You can upload it after you sign in.`
    : `${files.length} files are waiting in this browser. You can upload them after you sign in.`
}
