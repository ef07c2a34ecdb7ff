import { type FileLetter, isLetterRight } from '../../shared/rules/files/file-letters.ts'
import { momentText } from '../../shared/rules/format/moment-text.ts'
import type { Deps } from '../deps.ts'
import { type Addressed, nameOf, recipientOf } from '../email/addressed.ts'
import { fileLetter } from '../email/letters/files.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { findFilesOfLetter, findLetterReader, type LetterReader } from './preference-queries.ts'

type FileMail = Extract<MailRequest, { kind: 'files' }>

/** Tells for each letter whether the user's settings ask for it. */
const wants: Readonly<Record<FileLetter, (reader: LetterReader) => boolean>> = {
  'first-download': (reader) => reader.mailOnFirstDownload,
  'link-ends': (reader) => reader.mailBeforeExpiry,
}

/**
 * Writes a letter about a user's files at the time when it is sent. Returns null if the user does
 * not want it any more, or if it is no longer right about any of the files.
 */
export async function writeFileMail(
  { clock, config, db }: Pick<Deps, 'clock' | 'config' | 'db'>,
  { userId, letter, fileIds }: FileMail,
): Promise<Addressed | null> {
  const now = clock()
  const reader = await findLetterReader(db, userId, now)
  if (!reader || !wants[letter](reader)) return null
  const found = await findFilesOfLetter(db, userId, fileIds)
  const files = found.filter((file) => isLetterRight(letter, file, now))
  if (files.length === 0) return null
  const name = nameOf(reader)
  const content = fileLetter(letter, {
    name,
    // If the address is not verified, the account may belong to a stranger. The stranger could send
    // words to the owner of the address in the names of files: see `nameOf`.
    namesFiles: reader.emailVerified,
    files: files.map(({ originalName, expiresAt }) => ({
      name: originalName,
      endsAt: momentText(expiresAt),
      isOpen: expiresAt > now,
    })),
    fileManager: `${config.appUrl.origin}/?tab=manager`,
  })
  return { to: recipientOf(reader), content }
}
