import { useState } from 'react'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FileName } from '../../ui/file-name.tsx'
import { toast } from '../../ui/toast.tsx'
import type { PickedFile } from '../picking/picked-file.ts'
import type { KeptFile } from './kept-files.ts'
import { openKeptFiles, problemToast } from './open-kept-files.ts'
import type { KeptFilesState } from './use-kept-files.ts'

/** The card names at most this many files. */
const mostNamed = 5

export interface KeptFilesCardProps {
  waiting: KeptFilesState
  /** True while uploading these files is the main action of the page. */
  isMain: boolean
  /** Uploads these files. The card calls it with the files that it could open. */
  onUpload: (picked: readonly PickedFile[]) => void
  /**
   * Called when the card disappears. The pressed button, which had the focus, disappears with it.
   * So the page should focus another element.
   */
  onDone: () => void
}

/**
 * Offers to upload the files that wait in this browser. A visitor has dropped them before signing
 * up, or a phone has shared them. The card sends nothing before the user presses its button. If no
 * file waits, it shows nothing.
 */
export function KeptFilesCard({ waiting, isMain, onUpload, onDone }: KeptFilesCardProps) {
  const { kept, files, refresh } = waiting
  const [isOpening, setOpening] = useState(false)
  if (files.length === 0) return null

  const remove = async (removed: readonly KeptFile[]) => {
    await kept.remove(removed.map(({ id }) => id))
    await refresh()
  }
  const upload = async () => {
    setOpening(true)
    const { opened, forbidden, gone } = await openKeptFiles(files)
    if (opened.length > 0) onUpload(opened.map(({ picked }) => picked))
    const problem = problemToast({ forbidden, gone })
    if (problem) toast(problem)
    await remove([...opened.map(({ kept }) => kept), ...gone])
    setOpening(false)
    if (forbidden.length === 0) onDone()
  }
  const discard = async () => {
    await remove(files)
    onDone()
  }

  return (
    <Card className="mb-4 p-5 sm:p-6">
      <section aria-labelledby="kept-title">
        <h2 id="kept-title" className="text-lg">
          {files.length === 1 ? 'A file waits' : `${files.length} files wait`} in this browser
        </h2>
        <p className="mt-1 text-muted">
          Nothing of {files.length === 1 ? 'it' : 'them'} has been sent yet.
        </p>
        <ul className="mt-3">
          {files.slice(0, mostNamed).map(({ id, name, size }) => (
            <li key={id} className="flex items-baseline justify-between gap-4 py-1">
              <span className="min-w-0 font-[540]">
                <FileName name={name} />
              </span>
              <span className="shrink-0 text-muted text-sm tabular-nums">{formatSize(size)}</span>
            </li>
          ))}
        </ul>
        {files.length > mostNamed ? (
          <p className="text-muted text-sm">and {files.length - mostNamed} more</p>
        ) : null}
        <div className="mt-4 flex flex-wrap gap-2">
          <Button
            variant={isMain ? 'primary' : 'plain'}
            onClick={() => void upload()}
            pending={isOpening}
          >
            {files.length === 1 ? 'Upload it' : 'Upload them'}
          </Button>
          <Button variant="quiet" onClick={() => void discard()} disabled={isOpening}>
            Remove
          </Button>
        </div>
      </section>
    </Card>
  )
}
