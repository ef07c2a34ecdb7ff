import { useQuery } from '@tanstack/react-query'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FileName } from '../../ui/file-name.tsx'
import type { PickedFile } from '../picking/picked-file.ts'
import { createBrowserKeptFiles } from './kept-files.ts'

const maxListedFiles = 5

const store = createBrowserKeptFiles()

/**
 * Returns the files kept in this browser. Refetches when the page becomes visible, because the
 * phone may have shared more files.
 */
export function useKeptFiles() {
  const { data: files = [], refetch } = useQuery({
    queryKey: ['kept files'],
    queryFn: store.list,
    networkMode: 'always',
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: 'always',
  })
  return { files, refetch }
}

export interface KeptFilesCardProps {
  keptFiles: ReturnType<typeof useKeptFiles>
  /** True if uploading the kept files is the page's main action. */
  isPrimary: boolean
  onUpload: (files: readonly PickedFile[]) => void
  /** Called when the card disappears together with its focused button. */
  onDone: () => void
}

/**
 * Offers to upload the files kept in this browser. Renders nothing if there are none. Nothing is
 * sent without the user's consent.
 */
export function KeptFilesCard({ keptFiles, isPrimary, onUpload, onDone }: KeptFilesCardProps) {
  const { files, refetch } = keptFiles
  if (files.length === 0) return null
  const removeAll = async () => {
    await store.remove(files.map(({ id }) => id))
    await refetch()
    onDone()
  }
  const uploadAll = () => {
    onUpload(files.map(({ file }) => ({ file })))
    void removeAll()
  }
  const isSingle = files.length === 1
  return (
    <Card className="mb-4 p-5 sm:p-6">
      <section aria-labelledby="kept-title">
        <h2 id="kept-title" className="text-lg">
          {isSingle ? 'A file is' : `${files.length} files are`} waiting in this browser
        </h2>
        <p className="mt-1 text-muted">
          {isSingle ? 'It has' : 'They have'} not been uploaded yet.
        </p>
        <ul className="mt-3">
          {files.slice(0, maxListedFiles).map(({ id, file }) => (
            <li key={id} className="flex items-baseline justify-between gap-4 py-1">
              <span className="min-w-0 font-[540]">
                <FileName name={file.name} />
              </span>
              <span className="shrink-0 text-muted text-sm tabular-nums">
                {formatSize(file.size)}
              </span>
            </li>
          ))}
        </ul>
        {files.length > maxListedFiles ? (
          <p className="text-muted text-sm">and {files.length - maxListedFiles} more</p>
        ) : null}
        <div className="mt-4 flex flex-wrap gap-2">
          <Button variant={isPrimary ? 'primary' : 'plain'} onClick={uploadAll}>
            {isSingle ? 'Upload it' : 'Upload them'}
          </Button>
          <Button variant="quiet" onClick={() => void removeAll()}>
            Remove
          </Button>
        </div>
      </section>
    </Card>
  )
}
