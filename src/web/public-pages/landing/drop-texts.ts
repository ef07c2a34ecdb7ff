import { formatSize } from '../../../shared/rules/format/file-size.ts'
import type { KeepError } from '../../uploads/kept/kept-files.ts'

interface NamedFile {
  name: string
  size: number
}

/** Names files and their size in a text. Examples: 'press-kit.zip (3.4 MB)', '3 files (1.2 GB)'. */
export function filesWithSize(files: readonly NamedFile[]): string {
  const [first, ...others] = files
  const size = formatSize(files.reduce((sum, file) => sum + file.size, 0))
  return first && others.length === 0
    ? `${first.name} (${size})`
    : `${files.length} files (${size})`
}

const causes: Record<KeepError, (files: string) => string> = {
  space: (files) => `This browser has too little space to keep ${files} until then.`,
  unsupported: (files) =>
    `This browser cannot keep ${files}. Private windows, for example, store no files.`,
  count: (files) => `Too many files are waiting already, so this browser cannot keep ${files}.`,
}

/**
 * Says what the visitor should do if a file cannot be kept. It depends on the page that opens after
 * a drop.
 */
const remedies = {
  '/': (whose) => `Choose ${whose} again on the dashboard.`,
  '/signup': (whose) => `Sign up or sign in first, then choose ${whose} again.`,
  '/login': (whose) => `Sign in first, then choose ${whose} again.`,
} as const satisfies Record<string, (whose: string) => string>

/**
 * The page that opens after a drop: the dashboard if the visitor is signed in, else the signup, or
 * the login if nobody can sign up.
 */
export type PageAfterDrop = keyof typeof remedies

/**
 * Returns `path` if it is one of the pages that can open after a drop. Otherwise returns the login.
 */
export function pageAfterDrop(path: string | null): PageAfterDrop {
  return path !== null && Object.hasOwn(remedies, path) ? (path as PageAfterDrop) : '/login'
}

/**
 * Says why the browser cannot keep these files, and what to do.
 * @param next the page that opens after a drop
 */
export function notKeptText(
  files: readonly NamedFile[],
  error: KeepError,
  next: PageAfterDrop,
): string {
  const whose = files.length === 1 ? 'it' : 'them'
  return `${causes[error](filesWithSize(files))} ${remedies[next](whose)}`
}

/**
 * Says that files are larger than any plan allows.
 * @param limit the size of the largest allowed file in words. Example: '1GB'.
 */
export function tooLargeText(files: readonly NamedFile[], limit: string): string {
  const [first] = files
  if (first && files.length === 1) {
    return `${first.name} has ${formatSize(first.size)}. The largest file here is ${limit}.`
  }
  return `${files.length} files are larger than ${limit}, the largest file here.`
}
