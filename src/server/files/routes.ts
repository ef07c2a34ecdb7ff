import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { deleteFile } from './delete-file.ts'
import { prepareListFiles, toFile } from './queries.ts'

/** The routes of the signed-in user's own files (spec §7). */
export function fileRoutes(
  deps: Pick<Deps, 'clock' | 'db' | 'stores'>,
): Handlers<'listFiles' | 'deleteFile'> {
  const listFiles = prepareListFiles(deps.db)
  return {
    async listFiles({ query, user, context }) {
      const { limit, cursor } = query
      const after = cursor === undefined ? undefined : parseCursor(cursor)
      // Reading one more row than asked for tells whether there is a next page.
      const rows = await listFiles(user.id, { limit: limit && limit + 1, after })
      const page = limit === undefined ? rows : rows.slice(0, limit)
      const last = page.at(-1)
      if (last && page.length < rows.length) context.header('x-next-cursor', formatCursor(last))
      return page.map(toFile)
    },

    async deleteFile({ params, user, log }) {
      await deleteFile(deps, user.id, params.id, log)
      return { message: 'File deleted' }
    },
  }
}
