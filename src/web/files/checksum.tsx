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

/** The whole SHA-256, which a person can select or copy. */
export function Checksum({ sha256 }: { sha256: string }) {
  return (
    <div className="flex items-center justify-between gap-2">
      <code className="max-w-[32ch] select-all font-mono text-sm wrap-anywhere">{sha256}</code>
      <IconButton label="Copy checksum" icon={<Copy />} onClick={() => void copy(sha256)} />
    </div>
  )
}
