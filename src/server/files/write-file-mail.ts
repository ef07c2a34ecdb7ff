import { type FileEmail, isFileEmailValid } from '../../shared/rules/files/file-emails.ts'
import { momentText } from '../../shared/rules/format/moment-text.ts'
import type { Deps } from '../deps.ts'
import { emailToOwner, nameOf, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { fileEmail } from '../email/templates/files.ts'
import {
  type FileEmailReader,
  findFileEmailReader,
  findFilesOfEmail,
} from './preference-queries.ts'

type FileMail = Extract<MailRequest, { kind: 'files' }>

/** Tells for each email whether the user's settings ask for it. */
const wants: Readonly<Record<FileEmail, (reader: FileEmailReader) => boolean>> = {
  'first-download': (reader) => reader.mailOnFirstDownload,
  'link-ends': (reader) => reader.mailBeforeExpiry,
}

/**
 * Writes an email about a user's files at the time when it is sent. Returns null if the user does
 * not want it any more, or if it is no longer right about any of the files.
 */
export async function writeFileMail(
  { clock, config, db }: Pick<Deps, 'clock' | 'config' | 'db'>,
  { userId, about, fileIds }: FileMail,
): Promise<OutgoingEmail | null> {
  const now = clock()
  const reader = await findFileEmailReader(db, userId, now)
  if (!reader || !wants[about](reader)) return null
  const found = await findFilesOfEmail(db, userId, fileIds)
  const files = found.filter((file) => isFileEmailValid(about, file, now))
  if (files.length === 0) return null
  const content = fileEmail(about, {
    name: nameOf(reader),
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
  return emailToOwner(reader, content)
}
