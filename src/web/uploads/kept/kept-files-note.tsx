import { useKeptFiles } from './use-kept-files.ts'

/**
 * A note on the login and signup pages. If files wait in this browser, it says that they are still
 * there, and what will happen to them.
 */
export function KeptFilesNote() {
  const { files } = useKeptFiles()
  const [first, ...others] = files
  if (!first) return null
  const what = others.length === 0 ? `${first.name} waits` : `${files.length} files wait`
  return (
    <p role="status" className="mb-5 rounded-control bg-tint px-3.5 py-2.5 text-sm wrap-anywhere">
      {what} in this browser. Once you are signed in, you can upload{' '}
      {others.length === 0 ? 'it' : 'them'}.
    </p>
  )
}
