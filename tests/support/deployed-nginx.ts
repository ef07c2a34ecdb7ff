import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'

/** nginx with the configuration of `deploy/nginx`, with ports and certificates of its own. */
export interface DeployedNginx {
  httpPort: number
  /** Sends a request over TLS to one of the names that the configuration serves. */
  ask(
    host: string,
    path: string,
    sending?: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer },
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>
  /** Returns the content of nginx's access log. */
  log(): Promise<string>
  /** Returns the content of nginx's error log. */
  errors(): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts nginx in front of two servers and a bucket.
 * @param upstreams the addresses of the servers and the bucket, such as `127.0.0.1:3000`. A test
 * may give an address at which nothing listens.
 * @param dataDir the DATA_DIR of the servers, for the files that nginx sends.
 */
export async function startDeployedNginx(
  upstreams: { servers: readonly [string, string]; bucket: string },
  dataDir = '/srv/mayfly/data',
): Promise<DeployedNginx> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-deployed-'))
  const [httpPort, tlsPort] = [await freePort(), await freePort()]
  const tls = join(folder, 'tls')
  await mkdir(tls)
  for (const name of ['files.example.org', 's3.example.org']) makeCertificate(tls, name)
  const shipped = await readFile(new URL('../../deploy/nginx/mayfly.conf', import.meta.url), 'utf8')
  const here = shipped
    .replace('app1:3000', upstreams.servers[0])
    .replace('app2:3000', upstreams.servers[1])
    .replace('s3:8333', upstreams.bucket)
    .replaceAll('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replaceAll('listen 443 ', `listen 127.0.0.1:${tlsPort} `)
    .replaceAll('/etc/nginx/tls', tls)
    .replaceAll('/var/log/nginx', folder)
    .replace('/srv/mayfly/data', dataDir)
  const file = join(folder, 'nginx.conf')
  await writeFile(file, wrapped(folder, here))
  const options = ['-c', file, '-e', join(folder, 'error.log')]
  execFileSync('nginx', ['-t', ...options], { stdio: 'pipe' })
  const child = spawn('nginx', options, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await eventually(() => fetch(`http://127.0.0.1:${httpPort}`, { redirect: 'manual' }))
  return {
    httpPort,
    async ask(host, path, { method = 'GET', headers = {}, body } = {}) {
      const sent = request({
        host: '127.0.0.1',
        port: tlsPort,
        servername: host,
        ca: await readFile(join(tls, `${host}.pem`)),
        agent: false,
        path,
        method,
        headers: { host, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
      })
      sent.end(body)
      const [answer] = await once(sent, 'response')
      return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
    },
    log: () => readFile(join(folder, 'access.log'), 'utf8'),
    errors: () => readFile(join(folder, 'error.log'), 'utf8'),
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function makeCertificate(folder: string, name: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)]
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, ...files, ...names], {
    stdio: 'pipe',
  })
}

/**
 * Returns a complete nginx.conf around `servers`, the content of a file of conf.d. Debian and
 * nginx's container image have such an nginx.conf, and this repository does not.
 */
function wrapped(folder: string, servers: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 256; }
http {
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
${servers}
}
`
}
