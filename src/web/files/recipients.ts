import { email } from '../../shared/contract/account.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { maxRecipients } from '../../shared/rules/links/link-emails.ts'

/**
 * Returns the addresses in a list as people type or paste it: separated by commas, semicolons,
 * spaces or line breaks, also as `Name <address>`. Each address is returned once, in lower case.
 */
export function parseRecipients(text: string): string[] {
  const addresses = text
    .toLowerCase()
    .replaceAll(/"[^"\n]*"/g, ' ')
    .replaceAll(/[^,;\n<>]*<([^<>\n]*)>/g, ' $1 ')
    .split(/[\s,;]+/)
  return [...new Set(addresses.filter((address) => address !== ''))]
}

/** Returns why a link can't be sent to these addresses, or undefined if it can. */
export function checkRecipients(addresses: readonly string[]): string | undefined {
  if (addresses.length === 0) return 'Please enter an email address.'
  const invalidAddress = addresses.find((address) => !email.safeParse(address).success)
  if (invalidAddress !== undefined) return `${invalidAddress} is not an email address.`
  if (addresses.length <= maxRecipients) return undefined
  return `Please enter at most ${formatCount(maxRecipients, 'address', 'addresses')}.`
}
