import { X } from 'lucide-react'
import { formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import type { NamedFile } from '../engine/upload-plan.ts'
import { SkippedFiles } from './skipped-files.tsx'

/** Returns the suggestions of the card (spec §2). */
function suggestionsFor(maxFileSize: number): string[] {
  return [
    'Compress it with zip or 7z.',
    'Split it into parts, and upload each of them.',
    `Use cloud storage for files over ${formatSizeLimit(maxFileSize)}.`,
  ]
}

export interface FileTooLargeCardProps {
  files: readonly NamedFile[]
  /** In bytes. */
  maxFileSize: number
  onTryAnother: () => void
  onDismiss: () => void
}

/**
 * The file-too-large card (spec §2). It shows the files with their sizes, the maximum, and
 * suggestions.
 */
export function FileTooLargeCard(props: FileTooLargeCardProps) {
  return (
    <Card className="mb-4 p-5 sm:p-6">
      <section aria-labelledby="too-large-title">
        <div className="flex items-start justify-between gap-3">
          <h2 id="too-large-title" className="text-xl">
            {props.files.length === 1 ? 'File too large' : `${props.files.length} files too large`}
          </h2>
          <div className="-mt-1.5 -mr-2">
            <IconButton label="Dismiss" icon={<X />} onClick={props.onDismiss} />
          </div>
        </div>
        <div className="mt-3">
          <SkippedFiles files={props.files} maxFileSize={props.maxFileSize} />
        </div>
        <ul className="mt-4 list-disc pl-5">
          {suggestionsFor(props.maxFileSize).map((suggestion) => (
            <li key={suggestion}>{suggestion}</li>
          ))}
        </ul>
        <div className="mt-5">
          <Button onClick={props.onTryAnother}>Try Another File</Button>
        </div>
      </section>
    </Card>
  )
}
