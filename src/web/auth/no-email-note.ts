/**
 * Returns a note that says whom to ask for help because the server can't send email, or null if it
 * can.
 * @param supportEmail null if the server has no support address, undefined until known.
 */
export function noEmailNote({
  sendsMail,
  supportEmail,
}: {
  sendsMail: boolean
  supportEmail: string | null | undefined
}): string | null {
  if (sendsMail) return null
  const contactText = supportEmail ? `Write to ${supportEmail}` : 'Ask its operator'
  return `This server doesn't send email. ${contactText} for the link.`
}
