import type { File as StoredFile } from '../../shared/contract/files.ts'
import { toast } from '../ui/toast.tsx'

/** Counts links: '1 link', '12 links'. */
export function linksText(count: number): string {
  return count === 1 ? '1 link' : `${count.toLocaleString('en')} links`
}

/**
 * Copies the links of these files, one on each line, and shows a toast.
 * @param closed how many selected files are not in `files`, because their links are not active. The
 * toast says how many.
 */
export async function copyLinks(files: readonly StoredFile[], closed = 0): Promise<void> {
  const links = files.map(({ shortCode }) => `${window.location.origin}/s/${shortCode}`)
  try {
    await copyText(links.join('\n'))
    const without = closed === 1 ? '1 file has' : `${closed.toLocaleString('en')} files have`
    toast({
      title: `${linksText(links.length)} copied`,
      ...(closed > 0 && { description: `${without} no open link.` }),
    })
  } catch {
    toast({
      title: 'Copy failed',
      // Spec §8 has this one text, also for several links.
      description: 'Failed to copy link to clipboard.',
      tone: 'destructive',
    })
  }
}

/**
 * Copies a text by selecting it in a hidden field, and then restores the focus. This is the only
 * way on pages without `navigator.clipboard`, which exists only on HTTPS and localhost.
 */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.setAttribute('aria-hidden', 'true')
  field.style.cssText = 'position:fixed;top:0;left:0;opacity:0'
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return copied
}

/**
 * Puts a text on the clipboard.
 * @throws when the browser refuses.
 */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch (error) {
    if (!copyBySelection(text)) throw error
  }
}
