import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'

/**
 * A running nginx with the configuration from `deploy/nginx`, except for ports and certificates.
 */
export interface DeployedNginx {
  httpPort: number
  /** Sends a request over TLS to a host that nginx is configured to serve. */
  send(
    host: string,
    path: string,
    options?: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer },
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>
  log(): Promise<string>
  errors(): Promise<string>
  stop(): Promise<void>
}

/**
 * The addresses of the servers and the bucket, such as `127.0.0.1:3000`. Nothing needs to listen on
 * them.
 */
interface AddressUpstreams {
  servers: readonly [string, string]
  /** If omitted, nginx has neither a configuration nor a certificate for a bucket. */
  bucket?: string
}

/** The ports of a DNS server and of the servers whose names it resolves. */
interface NameUpstreams {
  nameServer: number
  port: number
}

/**
 * Starts nginx in front of two servers and a bucket, using `addresses.conf` or `containers.conf`.
 * @param dataDir the servers' DATA_DIR, from which nginx sends files.
 */
export async function startDeployedNginx(
  upstreams: AddressUpstreams | NameUpstreams,
  dataDir = '/srv/mayfly/data',
): Promise<DeployedNginx> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-deployed-'))
  const [httpPort, tlsPort] = [await findFreePort(), await findFreePort()]
  const tlsDir = join(folder, 'tls')
  await mkdir(tlsDir)
  const hasBucket = !('servers' in upstreams) || upstreams.bucket !== undefined
  makeCertificate(tlsDir, 'files.example.org')
  if (hasBucket) makeCertificate(tlsDir, 's3.example.org')
  const siteTemplates =
    (await readDeployFile('mayfly.conf')) + (hasBucket ? await readDeployFile('s3.conf') : '')
  const siteConfig = siteTemplates
    .replaceAll('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replaceAll('listen 443 ', `listen 127.0.0.1:${tlsPort} `)
    .replaceAll('/etc/nginx/tls', tlsDir)
    .replaceAll('/var/log/nginx', folder)
    .replace('/srv/mayfly/data', dataDir)
  const serverConfig = `${siteConfig}\n${await buildUpstreamConfig(upstreams)}`
  const configPath = join(folder, 'nginx.conf')
  await writeFile(configPath, buildCompleteConfig(folder, serverConfig))
  const args = ['-c', configPath, '-e', join(folder, 'error.log')]
  execFileSync('nginx', ['-t', ...args], { stdio: 'pipe' })
  const child = spawn('nginx', args, { stdio: 'ignore' })
  const exitPromise = once(child, 'exit')
  await eventually(() => fetch(`http://127.0.0.1:${httpPort}`, { redirect: 'manual' }))
  return {
    httpPort,
    async send(host, path, { method = 'GET', headers = {}, body } = {}) {
      const clientRequest = request({
        host: '127.0.0.1',
        port: tlsPort,
        servername: host,
        ca: await readFile(join(tlsDir, `${host}.pem`)),
        agent: false,
        path,
        method,
        headers: { host, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
      })
      clientRequest.end(body)
      const [response] = await once(clientRequest, 'response')
      return {
        status: response.statusCode,
        headers: response.headers,
        body: await buffer(response),
      }
    },
    log: () => readFile(join(folder, 'access.log'), 'utf8'),
    errors: () => readFile(join(folder, 'error.log'), 'utf8'),
    async stop() {
      child.kill('SIGTERM')
      await exitPromise
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function readDeployFile(name: string): Promise<string> {
  return readFile(new URL(`../../deploy/nginx/${name}`, import.meta.url), 'utf8')
}

async function buildUpstreamConfig(upstreams: AddressUpstreams | NameUpstreams): Promise<string> {
  if ('servers' in upstreams) {
    const { servers, bucket } = upstreams
    return (await readDeployFile('addresses.conf'))
      .replace('10.0.0.1:3000', servers[0])
      .replace('10.0.0.2:3000', servers[1])
      .replace('10.0.0.7:8333', bucket ?? '127.0.0.1:1')
  }
  return (await readDeployFile('containers.conf'))
    .replace('resolver 127.0.0.11 ', `resolver 127.0.0.1:${upstreams.nameServer} `)
    .replace('app:3000', `app:${upstreams.port}`)
    .replace('s3:8333', `s3:${upstreams.port}`)
}

function makeCertificate(folder: string, name: string): void {
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)]
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...keyOptions, ...files, ...names], {
    stdio: 'pipe',
  })
}

/** Wraps `serverConfig` in an nginx.conf like the ones in Debian and in the container image. */
export function buildCompleteConfig(folder: string, serverConfig: string): string {
  const tempFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  ${tempFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
${serverConfig}
}
`
}
