import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { copyText } from './copy-text.ts'

/** How long the button shows that it has copied. */
const copiedShownMs = 2000

/** Copies a short link with one click, and confirms it on the button and in a toast. */
export function CopyLinkButton({ link, fileName }: { link: string; fileName: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), copiedShownMs)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    try {
      await copyText(link)
      setCopied(true)
      toast({ title: 'Link copied', description: link })
    } catch {
      toast({
        title: 'Copy failed',
        description: 'Failed to copy link to clipboard.',
        tone: 'destructive',
      })
    }
  }
  return (
    <Button size="small" wide icon={copied ? <Check /> : <Copy />} onClick={() => void copy()}>
      {copied ? 'Copied' : 'Copy'}
      <span className="sr-only">link of {fileName}</span>
    </Button>
  )
}
