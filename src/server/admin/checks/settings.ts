import { join } from 'node:path'
import { isLoopback } from '../../http/hosts.ts'
import {
  type CheckDeps,
  type Finding,
  failing,
  ok,
  quoted,
  type RequestInfo,
  warning,
} from './check.ts'

type ConfigDeps = Pick<CheckDeps, 'config'>

/** Checks whether mail reaches the addresses that the pages name for help and for questions. */
export function checkContact({ config }: ConfigDeps): Finding[] {
  const { appUrl, supportEmail, supportReceivesEmail, privacyEmail, privacyReceivesEmail } = config
  if (supportReceivesEmail && privacyReceivesEmail) {
    return [ok(`People are told to write to ${supportEmail} and ${privacyEmail}.`)]
  }
  const unset = [
    ...(supportReceivesEmail
      ? []
      : [`SUPPORT_EMAIL is not set, and no mail reaches ${supportEmail}`]),
    ...(privacyReceivesEmail
      ? []
      : [`PRIVACY_EMAIL is not set, and no mail reaches ${privacyEmail}`]),
  ]
  const message = `${unset.join('. ')}. Pages lead to the feedback form instead, and the Admin Center lists what people write there.`
  if (isLoopback(appUrl.hostname)) return [ok(`${message} That is enough on this machine alone.`)]
  return [
    warning(
      message,
      'Set SUPPORT_EMAIL and PRIVACY_EMAIL to addresses that somebody reads, and restart the server.',
    ),
  ]
}

/** Checks whether people reach the server at `APP_URL`, and whether that address is safe. */
export function checkAddress({ config }: ConfigDeps, request: RequestInfo): Finding[] {
  const { appUrl, appUrlIsSet } = config
  const came = URL.parse(`${request.scheme ?? appUrl.protocol.slice(0, -1)}://${request.host}`)
  if (came !== null && !isSame(came, appUrl)) {
    const led = appUrlIsSet ? 'APP_URL is' : 'APP_URL is not set. It counts as'
    return [
      warning(
        `You came by ${came.origin}, but ${led} ${appUrl.origin}: links in emails lead there.`,
        `Set APP_URL to the address that people type, for instance APP_URL=${came.origin}, and restart the server. If ${appUrl.origin} is that address, open this page by it.`,
      ),
    ]
  }
  if (isLoopback(appUrl.hostname)) {
    return [ok(`Only this machine can open the server, by ${appUrl.origin}.`)]
  }
  if (appUrl.protocol !== 'https:') {
    return [
      warning(
        `People come by ${appUrl.origin}, without encryption: whoever is in the same network can read passwords and files.`,
        `Put a proxy that speaks https in front of the server (the README shows nginx and Caddy), set APP_URL=https://${appUrl.hostname} and TRUST_PROXY=on, and restart.`,
      ),
    ]
  }
  return [ok(`People come by ${appUrl.origin}, encrypted.`)]
}

/**
 * Tells whether both URLs lead to the same server by the same protocol. `came` need not have a
 * port, because a proxy may leave it out. All loopback names, such as localhost and 127.0.0.1,
 * count as the same.
 */
function isSame(came: URL, appUrl: URL): boolean {
  if (came.protocol !== appUrl.protocol) return false
  const isLocal = isLoopback(came.hostname) && isLoopback(appUrl.hostname)
  if (came.hostname !== appUrl.hostname && !isLocal) return false
  return came.port === '' || came.port === appUrl.port
}

/** Checks whether several servers with the same database would have the same secret. */
export function checkSecrets({ config }: ConfigDeps): Finding[] {
  const { authSecret, databaseUrl, dataDir } = config
  const file = join(dataDir, 'secret')
  if (authSecret !== null) return [ok('AUTH_SECRET is set.')]
  if (databaseUrl === null) {
    return [ok(`The secret that signs sessions was made at the first start and lies in ${file}.`)]
  }
  return [
    warning(
      `The secret that signs sessions was made by this server and lies in ${file}. Another server of the same database would make its own, and the two would refuse each other's sessions and presigned URLs.`,
      `Set AUTH_SECRET to the text of that file (cat ${quoted(file)}), here and on every other server of this database, and restart. Nobody is signed out by that.`,
    ),
  ]
}

/** Checks whether the server limits how often somebody may try passwords or ask for emails. */
export function checkRateLimits({ config }: ConfigDeps): Finding[] {
  if (config.rateLimits) return [ok('They are on.')]
  const message =
    'They are off: anybody may try as many passwords, and cause as many emails, as the machine can do.'
  const remedy = 'Remove RATE_LIMITS=off from the settings and restart the server.'
  return [isLoopback(config.appUrl.hostname) ? warning(message, remedy) : failing(message, remedy)]
}

/** Checks whether the server sees the IP addresses of its clients. */
export function checkProxy({ config }: ConfigDeps, request: RequestInfo): Finding[] {
  const trusts = config.trustedProxies !== null
  if (!trusts && !request.isProxied) {
    return [ok('Clients connect directly, so their addresses are known.')]
  }
  if (request.isForwarded && !request.isTrusted) {
    return [
      warning(
        'A proxy passes requests on, but its word is not trusted: all people count as one address and share its limits for logins and transfers.',
        'Set TRUST_PROXY=on, or TRUST_PROXY to the address of the proxy if it is not in a private network, and restart the server. The proxy must set X-Forwarded-For.',
      ),
    ]
  }
  if (request.isForwarded) return [ok('The addresses of clients come from the proxy.')]
  return [
    warning(
      'TRUST_PROXY is set, but your request came without X-Forwarded-For. Either the proxy does not set it, or this server can be reached without the proxy. Then people in the same network can invent the address that counts against the limits.',
      'Let the proxy set X-Forwarded-For (the README shows nginx and Caddy), and make sure that only the proxy reaches the port of this server: HOST=127.0.0.1, or a firewall. Without a proxy remove TRUST_PROXY=on and restart.',
    ),
  ]
}
