import { formatSize } from '../../shared/rules/format/file-size.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import { isUsedUp, linkName } from '../../shared/rules/links/link-status.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import { type Link, prepareOpenLink } from '../downloads/queries.ts'
import type { EmailBrand, OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { linkEmail } from '../email/templates/links.ts'
import { brandValues } from '../links/page-brand.ts'
import { createOptOutToken, hashAddress } from './opt-out.ts'
import { findLinkEmail, hasOptedOut } from './queries.ts'

type LinkEmailRequest = Extract<MailRequest, { kind: 'shared-link' }>

/**
 * Writes the email that sends a link. Returns null if the link has ended, the recipient has opted
 * out, or the administrator has turned these emails off.
 */
export async function writeLinkEmail(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'secret' | 'settings'>,
  { emailId }: LinkEmailRequest,
): Promise<OutgoingEmail | null> {
  const { clock, config, db, secret, settings } = deps
  if ((await settings.read()).send_by_email === 'off') return null
  const email = await findLinkEmail(db, emailId)
  if (!email || (await hasOptedOut(db, hashAddress(secret, email.email)))) return null
  const link = await prepareOpenLink({ clock, db })(email.shortCode)
  if (!link || isUsedUp(link)) return null
  const { origin, host } = config.appUrl
  const now = clock()
  const brand = tierTraits[effectiveTier(link, now)].branding ? link.brand : null
  const sender = { ...email.sender, brand: brand?.name || null }
  const optOutUrl = `${origin}/opt-out/${createOptOutToken(secret, email.email)}`
  const content = linkEmail({
    sender,
    message: email.message,
    // As on its page, nothing is said about the content of a link with a password.
    files: link.passwordHash === null ? describeFiles(link) : null,
    endsAt: link.isUploading ? null : timestampText(link.expiresAt, now),
    url: `${origin}/s/${link.shortCode}`,
    host,
    optOutUrl,
  })
  return {
    to: { name: '', address: email.email },
    // The recipient needs no account.
    isVerified: true,
    replyTo: { name: sender.brand ?? sender.name, address: sender.email },
    unsubscribeUrl: optOutUrl,
    content: { ...content, ...(brand && { brand: toEmailBrand(brand, origin) }) },
  }
}

function describeFiles({ title, files, isUploading }: Link) {
  const [firstFile] = files
  const fileCount = files.length
  const name = firstFile && linkName({ title, firstFileName: firstFile.originalName, fileCount })
  const size = files.reduce((sum, file) => sum + file.size, 0)
  return {
    name: name ?? title,
    // Their number and size are only known once all have been uploaded.
    count: isUploading ? null : fileCount,
    size: isUploading ? null : formatSize(size),
  }
}

function toEmailBrand(brand: NonNullable<Link['brand']>, origin: string): EmailBrand {
  const { brandName, logoPath, logoWidth, logoHeight, logoAlt } = brandValues(brand)
  const logo = { url: `${origin}${logoPath}`, width: logoWidth, height: logoHeight, alt: logoAlt }
  return { name: brandName, accent: brand.accent, logo: logoPath === '' ? null : logo }
}
