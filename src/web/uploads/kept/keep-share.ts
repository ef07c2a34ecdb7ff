import { sharePath } from '../../../shared/public-pages.ts'
import type { KeptFiles } from './kept-files.ts'

/** The form field that contains the shared files, as named in the web manifest. */
export const sharedField = 'files'

/**
 * True if a page of another origin sent this request. Phones send no referrer when sharing files.
 * Pages can suppress the referrer, so not every cross-origin request is detected.
 */
export function isCrossOrigin(referrer: string, origin: string): boolean {
  return URL.canParse(referrer) && new URL(referrer).origin !== origin
}

/**
 * Keeps shared files in this browser. Returns the path to open: the front page, which lists the
 * files, or the share page, which explains that they couldn't be kept.
 */
export async function keepShare(request: Request, store: Pick<KeptFiles, 'keep'>): Promise<string> {
  try {
    const form = await request.formData()
    const files = form.getAll(sharedField).filter((entry) => entry instanceof File)
    if (files.length === 0) return sharePath
    return (await store.keep(files)) === null ? '/' : sharePath
  } catch {
    return sharePath
  }
}
