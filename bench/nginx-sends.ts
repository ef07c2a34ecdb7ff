import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, startMayfly, uploadFile } from './mayfly.ts'
import { type Nginx, startNginx } from './nginx.ts'
import { compare, type Row } from './report.ts'
import { type LoadFigures, runWrk } from './wrk.ts'

const rounds = 5
const sizes = { '1 MiB': 1024 ** 2, '100 MiB': 100 * 1024 ** 2 }
const connections = 4

/**
 * Measures how fast nginx sends a file: once a plain file of its own, and once the file behind a
 * link. For the link, nginx asks Mayfly each time which file to send (X_ACCEL_REDIRECT).
 */
export async function measureNginxSends(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'sealed'), cores.server, {
    env: { X_ACCEL_REDIRECT: '/sealed', TRUST_PROXY: 'on' },
  })
  try {
    const nginx = await startNginx(join(scratch, 'sending'), cores.server, inFrontOf(mayfly))
    try {
      return await measure(mayfly, nginx, cores)
    } finally {
      await nginx.stop()
    }
  } finally {
    await mayfly.stop()
  }
}

/**
 * Returns the locations that `deploy/nginx/mayfly.conf` has for links and for the files that nginx
 * sends.
 */
function inFrontOf({ url, dataDir }: Mayfly): string {
  return `
    location /s/ {
      proxy_pass ${url};
      proxy_http_version 1.1;
      proxy_set_header Connection      "";
      proxy_set_header Host            $proxy_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Sendfile-Type X-Accel-Redirect;
    }
    location /sealed/ {
      internal;
      alias ${dataDir}/files/;
    }`
}

async function measure(mayfly: Mayfly, nginx: Nginx, cores: Cores): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const pids = () => [...nginx.pids, mayfly.pid, ...mayfly.postgresPids()]
  const rows: Row[] = []
  for (const [size, length] of Object.entries(sizes)) {
    const bytes = randomBytes(length)
    const code = await uploadFile(mayfly, http, cookie, { name: `${size}.bin`, bytes })
    await writeFile(join(nginx.root, 'files', code), bytes)
    const { body } = await http.expectOk(`${nginx.url}/s/${code}`, { method: 'GET' })
    if (!body.equals(bytes)) throw new Error('nginx sent other bytes')
    const found: Record<'link' | 'plain', LoadFigures[]> = { link: [], plain: [] }
    // The first round does not count, because Node compiles the code in it.
    for (let round = 0; round <= rounds; round += 1) {
      const link = await runWrk(cores, { url: `${nginx.url}/s/${code}`, connections, pids })
      const plain = await runWrk(cores, { url: `${nginx.url}/files/${code}`, connections, pids })
      if (round > 0) {
        found.link.push(link)
        found.plain.push(plain)
      }
    }
    rows.push(...compareLoads(`${size}, sent by nginx for a link`, found.link, found.plain))
  }
  http.close()
  return rows
}

function compareLoads(what: string, ours: LoadFigures[], nginx: LoadFigures[]): Row[] {
  const rates = (all: LoadFigures[]) => all.map((one) => one.requestsPerSecond)
  const costs = (all: LoadFigures[]) => all.map((one) => one.cpuMicros)
  return [
    compare(what, 'requests/s', rates(ours), rates(nginx)),
    compare(what, 'CPU µs a request', costs(ours), costs(nginx)),
  ]
}
