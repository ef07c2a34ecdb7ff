/** Returns a mailto address that opens a mail to support, in which a user asks for Premium. */
export function upgradeMailAddress(supportEmail: string, userEmail: string): string {
  const subject = encodeURIComponent('Upgrade to Premium')
  const body = encodeURIComponent(`Please switch my account to Premium: ${userEmail}\r\n`)
  return `mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}?subject=${subject}&body=${body}`
}
