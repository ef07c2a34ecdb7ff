/** Returns a mailto address that opens a mail to support, in which a user asks for a tier. */
export function upgradeMailAddress(supportEmail: string, userEmail: string, tier: string): string {
  const subject = encodeURIComponent(`Upgrade to ${tier}`)
  const body = encodeURIComponent(`Please switch my account to ${tier}: ${userEmail}\r\n`)
  return `mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}?subject=${subject}&body=${body}`
}
