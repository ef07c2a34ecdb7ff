import { Check, Copy } from 'lucide-react'
import { type Ref, useEffect, useState } from 'react'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { writeClipboard } from '../ui/clipboard.ts'
import { toast } from '../ui/toast.tsx'
import type { ToastOptions } from '../ui/toast-options.ts'
import type { ListedLink } from './listed-link.ts'

/**
 * Copies these links, one per line, and shows a toast.
 * @param closedCount the number of selected links that are not in `links` because they can't be
 * shared. The toast mentions it.
 */
export async function copyLinks(links: readonly ListedLink[], closedCount = 0): Promise<void> {
  const urls = links.map(({ shortCode }) => `${window.location.origin}/s/${shortCode}`)
  const closedLinksText = formatCount(closedCount, 'link')
  await copyText(urls.join('\n'), 'link', {
    title: `${formatCount(urls.length, 'link')} copied`,
    ...(closedCount > 0 && {
      description: `${closedLinksText} ${closedCount === 1 ? 'was' : 'were'} left out.`,
    }),
  })
}

const copyFailureToasts = {
  link: 'Failed to copy link to clipboard.',
  receipt: 'Failed to copy receipt to clipboard.',
  checksum: 'Failed to copy checksum to clipboard.',
}

/**
 * Copies text to the clipboard and shows a toast with the result (spec §8).
 * @param kind determines the error message. Use 'link' for several links too.
 * @returns whether the text was copied.
 */
export async function copyText(
  text: string,
  kind: keyof typeof copyFailureToasts,
  success: ToastOptions,
): Promise<boolean> {
  const isCopied = await writeClipboard(text)
  const error = {
    title: 'Copy failed',
    description: copyFailureToasts[kind],
    tone: 'destructive',
  } as const
  toast(isCopied ? success : error)
  return isCopied
}

/** How long the button shows that the link was copied. */
const confirmationMs = 2000

export interface CopyLinkButtonProps extends Pick<ButtonProps, 'variant' | 'size' | 'unavailable'> {
  /** The link as an absolute URL. */
  url: string
  name: string
  ref?: Ref<HTMLElement>
}

/**
 * A button that copies a short link and then shows a confirmation, both on itself and in a toast.
 */
export function CopyLinkButton({ url, name, ...button }: CopyLinkButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), confirmationMs)
    return () => clearTimeout(timer)
  }, [isCopied])

  const copy = async () => {
    const successToast = { title: 'Link copied', description: url }
    if (await copyText(url, 'link', successToast)) setCopied(true)
  }
  return (
    <Button
      size="small"
      wide
      icon={isCopied ? <Check /> : <Copy />}
      onClick={() => void copy()}
      {...button}
    >
      {isCopied ? 'Copied' : 'Copy'}
      <span className="sr-only">link of {name}</span>
    </Button>
  )
}
