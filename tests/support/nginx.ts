import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'

export interface NginxProxy {
  url: string
  /**
   * Passes new requests to servers on these ports. Requests that are already running stay where
   * they are.
   */
  passTo(ports: readonly number[]): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts nginx in front of servers on these ports of 127.0.0.1, with the settings that
 * docs/operations.md asks for.
 */
export async function startNginxProxy(ports: readonly number[]): Promise<NginxProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  const command = ['-c', file, '-e', join(folder, 'error.log')]
  await writeFile(file, configuration(folder, port, ports))
  const child = spawn('nginx', command, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(await readFile(join(folder, 'error.log'), 'utf8'))
    await fetch(url)
  })
  return {
    url,
    async passTo(others) {
      await writeFile(file, configuration(folder, port, others))
      child.kill('SIGHUP')
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configuration(folder: string, port: number, ports: readonly number[]): string {
  return `
${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/unused;
  uwsgi_temp_path ${folder}/unused;
  scgi_temp_path ${folder}/unused;
  upstream mayfly {
    ${ports.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=1s;`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    proxy_request_buffering off;
    proxy_max_temp_file_size 0;
    location / {
      proxy_pass http://mayfly;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`
}
