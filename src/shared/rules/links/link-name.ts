/**
 * Names a link: by its title, or by its first file and the number of other files. A link whose
 * files are still on their way is named by the files being uploaded.
 */
export function linkName({
  title,
  firstFileName,
  fileCount,
}: {
  title: string | null
  firstFileName: string
  fileCount: number
}): string {
  if (title !== null) return title
  if (fileCount <= 1) return firstFileName
  return `${firstFileName} and ${fileCount - 1} more`
}
