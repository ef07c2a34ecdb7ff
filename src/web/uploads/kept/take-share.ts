import { sharePath } from '../../../shared/public-pages.ts'
import type { KeptFiles } from './kept-files.ts'

/** The name of the form field with the shared files. The web manifest uses the same name. */
export const sharedField = 'files'

/**
 * Returns whether a page of another site sent this request. A phone that shares files sends no
 * referrer. A site can hide its address, so this does not detect every such request.
 */
export function isCrossSite(referrer: string, origin: string): boolean {
  return URL.canParse(referrer) && new URL(referrer).origin !== origin
}

/**
 * Keeps shared files in this browser. Returns the path of the page to open: the front page lists
 * the files; the share page says that they could not be kept.
 */
export async function takeShare(request: Request, kept: Pick<KeptFiles, 'keep'>): Promise<string> {
  try {
    const form = await request.formData()
    const files = form.getAll(sharedField).filter((entry) => entry instanceof File)
    if (files.length === 0) return sharePath
    return (await kept.keep(files)) === null ? '/' : sharePath
  } catch {
    return sharePath
  }
}
