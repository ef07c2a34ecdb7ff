import { isLoopback } from '../http/hosts.ts'

/**
 * Tells whether mail and the password for it may be sent to the server of this URL without TLS:
 * to a server on this machine, or where the URL says `?requireTLS=false`. Everywhere else TLS is
 * required. If it were only used where the server offers it, an attacker in the network could
 * remove STARTTLS from the server's answer. Then the attacker could read the login, and the links
 * that open accounts.
 */
export function mayGoInClear(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url)
  if (protocol !== 'smtp:') return false
  return isLoopback(hostname) || searchParams.get('requireTLS') === 'false'
}

/**
 * Removes `requireTLS` from the URL. In the library, this setting of the URL would replace the
 * option `requireTLS`, and other values than `false`, such as `0`, would turn it off too.
 */
export function withoutTlsSetting(url: string): string {
  const rest = new URL(url)
  rest.searchParams.delete('requireTLS')
  return rest.href
}
