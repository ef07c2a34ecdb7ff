import { Check, Copy } from 'lucide-react'
import { type Ref, useEffect, useState } from 'react'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { copyText } from './copy-links.ts'

/** How long the button shows that it has copied. */
const copiedShownMs = 2000

export interface CopyLinkButtonProps extends Pick<ButtonProps, 'variant' | 'size' | 'unavailable'> {
  link: string
  fileName: string
  ref?: Ref<HTMLElement>
}

/** Copies a short link with one click, and confirms it on the button and in a toast. */
export function CopyLinkButton({ link, fileName, ...button }: CopyLinkButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), copiedShownMs)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    const success = { title: 'Link copied', description: link }
    if (await copyText(link, 'link', success)) setCopied(true)
  }
  return (
    <Button
      size="small"
      wide
      icon={copied ? <Check /> : <Copy />}
      onClick={() => void copy()}
      {...button}
    >
      {copied ? 'Copied' : 'Copy'}
      <span className="sr-only">link of {fileName}</span>
    </Button>
  )
}
