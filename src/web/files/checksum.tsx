import { Copy } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { copyText } from './copy-text.ts'

async function copy(sha256: string) {
  try {
    await copyText(sha256)
    toast({ title: 'Checksum copied', description: sha256 })
  } catch {
    toast({
      title: 'Copy failed',
      description: 'Failed to copy checksum to clipboard.',
      tone: 'destructive',
    })
  }
}

export interface ChecksumToggleProps {
  fileName: string
  open: boolean
  onToggle: () => void
  /** The id of the element that the button opens. */
  controls: string
}

/** A quiet button in a row that opens the file's SHA-256. */
export function ChecksumToggle({ fileName, open, onToggle, controls }: ChecksumToggleProps) {
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-controls={open ? controls : undefined}
      onClick={onToggle}
      className="-my-1 min-h-6 rounded-[4px] py-1 hover:text-ink hover:underline pointer-coarse:my-0 pointer-coarse:min-h-11"
    >
      SHA-256<span className="sr-only"> of {fileName}</span>
    </button>
  )
}

/** The whole SHA-256, which a person can select or copy. */
export function Checksum({ id, sha256 }: { id: string; sha256: string }) {
  return (
    <div id={id} className="flex items-center gap-2 text-muted">
      <code className="max-w-[32ch] select-all font-mono text-[12px] wrap-anywhere">{sha256}</code>
      <IconButton label="Copy checksum" icon={<Copy />} onClick={() => void copy(sha256)} />
    </div>
  )
}
