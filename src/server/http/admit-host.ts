import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { AppError } from '../errors.ts'
import { refuse } from './refusal.ts'
import type { ServedHosts } from './served-hosts.ts'

/** Returns true if the request may go on. Otherwise it has been refused with an answer. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => boolean

/** Load balancers request these paths by the machine's address. The answers hold no secrets. */
const forAnyHost = /^\/(api\/health|api\/ready|metrics)(\?|$)/

/**
 * Refuses requests for a host that is not ours with 421 (RFC 9110 §15.5.20), before any other code
 * sees the path. Otherwise a stranger could let a domain name point at this machine (DNS
 * rebinding), and the stranger's page could read our answers. A request with more than one Host
 * header is refused with 400. X-Forwarded-Host is ignored, because any client can send it.
 */
export function admitHost(
  hosts: ServedHosts,
  { appUrl, log }: { appUrl: URL; log: Pick<Logger, 'warn'> },
): Admit {
  let isTold = false

  /**
   * Logs the first refusal only. Its usual cause is a wrong APP_URL, or a proxy that does not pass
   * on the Host header.
   */
  const tell = (host: string | undefined): void => {
    if (isTold) return
    isTold = true
    log.warn(
      { host: host?.slice(0, 200), appUrl: appUrl.origin },
      'A request for a host that is not served was refused; APP_URL says which one is',
    )
  }

  return (request, response) => {
    if (forAnyHost.test(request.url ?? '')) return true
    const asked = askedHosts(request)
    if (asked.length > 1) {
      const message = 'The request has more than one Host header.'
      void refuse(request, response, new AppError('INVALID_INPUT', { message }))
      return false
    }
    const ours = [...asked, ...targetHost(request)].map((host) => hosts.pageOrigin(host) !== null)
    if (ours.length > 0 && !ours.includes(false)) return true
    tell(asked[0])
    refuseHost(request, response, appUrl)
    return false
  }
}

/**
 * Returns every Host header, so that a request with more than one can be refused. Node's own table
 * of headers keeps only the first one.
 */
function askedHosts({ rawHeaders }: IncomingMessage): string[] {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  return hosts
}

/** Returns the host in a request line such as `GET http://host/path` (RFC 9112 §3.2.2). */
function targetHost({ url = '' }: IncomingMessage): string[] {
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return host === undefined ? [] : [host]
}

function refuseHost(request: IncomingMessage, response: ServerResponse, { origin }: URL): void {
  const message = `There is no site of this name here. Open ${origin}, or set APP_URL to the address that people open.`
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html')
  if (!isPage) {
    void refuse(request, response, new AppError('HOST_NOT_SERVED', { message }))
    return
  }
  // URL's parser made this origin, so it holds no character that HTML would interpret.
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Misdirected request</title>
<p>${message.replace(origin, `<a href="${origin}">${origin}</a>`)}</p></html>
`
  response.writeHead(421, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(html)
}
