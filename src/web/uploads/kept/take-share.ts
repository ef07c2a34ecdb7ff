import { sharePath } from '../../../shared/public-pages.ts'
import type { KeptFiles } from './kept-files.ts'

/** The name of the form field with the shared files. The web manifest names the same field. */
export const sharedField = 'files'

/**
 * Stores shared files in this browser. Returns the path of the page that shows them, or the path of
 * the page that says that a file could not be kept. Sends nothing to the server.
 */
export async function takeShare(request: Request, kept: Pick<KeptFiles, 'keep'>): Promise<string> {
  try {
    const form = await request.formData()
    const files = form.getAll(sharedField).filter((entry) => entry instanceof File)
    const { refused } = await kept.keep(files.map((file) => ({ file })))
    return refused.length === 0 && files.length > 0 ? '/' : sharePath
  } catch {
    return sharePath
  }
}
