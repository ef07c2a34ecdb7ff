import { sharePath } from '../../../shared/public-pages.ts'
import type { KeptFiles } from './kept-files.ts'

/** The name of the form field with the shared files, as the web manifest says it. */
export const sharedField = 'files'

/**
 * Keeps the files of a share in this browser, and returns the path that shows them. If a file cannot
 * be kept, it returns the path of the page that says so. Nothing is sent to the server.
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
