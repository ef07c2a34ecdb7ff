import { useEffect, useState } from 'react'
import { writeClipboard } from '../../ui/clipboard.ts'
import type { UploadRecord } from '../records/upload-record.ts'

/**
 * Returns the code of the link that the unfinished uploads share or, if there are none, those of
 * the last drop. Returns null if they have several links or none yet.
 */
export function sharedShortCode(
  records: readonly Pick<UploadRecord, 'batch' | 'status' | 'ticket'>[],
): string | null {
  const uploads = records.filter(({ status }) => status !== 'failed')
  const unfinished = uploads.filter(({ status }) => status !== 'completed')
  const shown = unfinished.length > 0 ? unfinished : uploads.slice(-1)
  const drops = new Set(shown.map(({ batch }) => batch))
  const codes = uploads.flatMap(({ batch, ticket }) =>
    drops.has(batch) ? [ticket?.shortCode ?? null] : [],
  )
  const [code = null, ...others] = new Set(codes)
  return others.length === 0 ? code : null
}

/** How long the button shows the result. */
const resultMs = 2000

/** A button that copies a short link and says on itself whether that succeeded. */
export function CopyButton({ shortCode, name }: { shortCode: string; name: string }) {
  const [label, setLabel] = useState('Copy')
  useEffect(() => {
    if (label === 'Copy') return
    const timer = setTimeout(() => setLabel('Copy'), resultMs)
    return () => clearTimeout(timer)
  }, [label])
  const copy = async () =>
    setLabel((await writeClipboard(linkOf(shortCode))) ? 'Copied' : 'Copy failed')
  return (
    <button type="button" className="upload-act" onClick={() => void copy()}>
      <span aria-live="polite">{label}</span>
      <span className="uploads-spoken">{name}</span>
    </button>
  )
}

function linkOf(shortCode: string): string {
  return `${location.origin}/s/${shortCode}`
}

/** The link of uploads, which can be sent before they are complete. */
export function LinkLine({ shortCode, isComplete }: { shortCode: string; isComplete: boolean }) {
  return (
    <div className="link-line">
      <span>{linkOf(shortCode).replace(/^https?:\/\//, '')}</span>
      <CopyButton shortCode={shortCode} name="link" />
      {isComplete ? null : <p>You can send this link now. It completes itself.</p>}
    </div>
  )
}
