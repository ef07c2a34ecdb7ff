import { sharePath } from '../../../shared/public-pages.ts'
import type { KeptFiles } from './kept-files.ts'

/** The name of the form field with the shared files. The web manifest names the same field. */
export const sharedField = 'files'

/**
 * Returns whether a page of another site has sent a form to the share path. A phone that shares
 * files names no page. A page can hide its address, so this does not find every such form.
 * @param referrer the address of the page that made the request; empty where it names none.
 */
export function isFromElsewhere(referrer: string, origin: string): boolean {
  return URL.canParse(referrer) && new URL(referrer).origin !== origin
}

/**
 * Stores shared files in this browser. Returns the path of the page that shows them. If one of them
 * cannot be kept, stores none and returns the path of the page that says so. If it stored only some
 * of them, a person who shares them again would have those twice. Sends nothing to the server.
 */
export async function takeShare(
  request: Request,
  kept: Pick<KeptFiles, 'keepTogether'>,
): Promise<string> {
  try {
    const form = await request.formData()
    const files = form.getAll(sharedField).filter((entry) => entry instanceof File)
    if (files.length === 0) return sharePath
    return (await kept.keepTogether(files)) === null ? '/' : sharePath
  } catch {
    return sharePath
  }
}
