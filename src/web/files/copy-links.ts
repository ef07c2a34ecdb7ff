import type { File as StoredFile } from '../../shared/contract/files.ts'
import { toast } from '../ui/toast.tsx'
import { copyText } from './copy-text.ts'

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
