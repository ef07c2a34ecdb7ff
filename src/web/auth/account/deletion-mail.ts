/**
 * Returns a `mailto:` address that opens an email to support, in which a user asks for the deletion
 * of the account.
 */
export function deletionMailAddress(supportEmail: string, userEmail: string): string {
  const subject = encodeURIComponent('Delete my account')
  const body = encodeURIComponent(
    `Please delete my account ${userEmail} with all its files and links.\r\n`,
  )
  return `mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}?subject=${subject}&body=${body}`
}
