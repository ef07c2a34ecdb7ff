import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { KeepError } from '../../uploads/kept/kept-files.ts'

interface NamedFile {
  name: string
  size: number
}

/**
 * Describes files and their total size, as in 'press-kit.zip (3.4 MB)' for one file and '3 files
 * (1.2 GB)' for several.
 */
export function describeFiles(files: readonly NamedFile[]): string {
  const [first, ...others] = files
  const sizeText = formatSize(files.reduce((sum, file) => sum + file.size, 0))
  return first && others.length === 0
    ? `${first.name} (${sizeText})`
    : `${files.length} files (${sizeText})`
}

const keepErrorMessages: Record<KeepError, (files: string) => string> = {
  space: (files) => `This browser has too little space for ${files}.`,
  unsupported: (files) => `This browser cannot store ${files}. It may be a private window.`,
  count: (files) => `Too many files are waiting to store ${files}.`,
}

/** Explains why the browser can't store these files, and what to do instead. */
export function keepErrorText(files: readonly NamedFile[], error: KeepError): string {
  return `${keepErrorMessages[error](describeFiles(files))} Upload from the dashboard instead.`
}

/**
 * Says which files are larger than any plan allows. Empty if there are none.
 * @param limit the maximum size as text, such as '1GB'.
 */
export function tooLargeText(files: readonly NamedFile[], limit: string): string {
  const [first, ...others] = files
  if (!first) return ''
  const subject = others.length === 0 ? describeFiles([first]) : `${files.length} files`
  return `${subject} ${others.length === 0 ? 'exceeds' : 'exceed'} the limit of ${limit}.`
}
