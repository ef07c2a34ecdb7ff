import { momentText } from '../../shared/rules/format/moment-text.ts'
import type { Deps } from '../deps.ts'
import { emailToOwner, nameOf, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { takedownEmail } from '../email/templates/files.ts'
import { findUser } from '../tiers/queries.ts'
import { namesOf } from './queries.ts'

type TakedownMail = Extract<MailRequest, { kind: 'takedown' }>

/**
 * Writes the email that tells an owner which files were taken down and why. If the owner answers
 * the email, the answer goes to the support address. Returns null if the account no longer exists.
 */
export async function writeTakedownMail(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  { userId, fileIds, reason, takenDownAt }: TakedownMail,
): Promise<OutgoingEmail | null> {
  const owner = await findUser(db, userId)
  if (!owner) return null
  // If the address is not verified, a stranger may have signed up with it. File names could then
  // carry the stranger's words to the owner of the address. `nameOf` leaves out the name for the
  // same reason.
  const fileNames = owner.emailVerified ? await namesOf(db, fileIds) : []
  const { supportEmail } = config
  const content = takedownEmail({
    name: nameOf(owner),
    fileNames,
    count: fileIds.length,
    reason,
    takenDownAt: momentText(new Date(takenDownAt)),
    supportEmail,
  })
  return {
    ...emailToOwner(owner, content),
    replyTo: { name: 'Mayfly support', address: supportEmail },
  }
}
