import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../tests/support/free-port.ts'
import { pinToCores } from './machine.ts'
import { listProcessTree } from './process-cost.ts'
import { startServer } from './servers.ts'

/**
 * Keeps Debian's defaults where they matter: sendfile and an access log. The two workers match the
 * two cores. WebDAV handles PUTs. Temporary files are on the same file system as the root, so nginx
 * moves them instead of copying.
 */
function createConfiguration(dir: string, port: number, extraConfig: string) {
  return `
${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log warn;
events { worker_connections 1024; }
http {
  access_log ${dir}/access.log;
  default_type application/octet-stream;
  types { text/html html; }
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_max_body_size 2g;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/unused;
  fastcgi_temp_path ${dir}/unused;
  uwsgi_temp_path ${dir}/unused;
  scgi_temp_path ${dir}/unused;
  server {
    listen 127.0.0.1:${port};
    root ${dir}/root;
    location /files/ { dav_methods PUT DELETE; }
    ${extraConfig}
  }
}
`
}

export interface Nginx {
  url: string
  /** The document root. PUTs write to its subdirectory `files`. */
  root: string
  /** Pids of the master process and the workers. */
  pids: number[]
  stop(): Promise<void>
}

/**
 * Starts nginx on a free port. Keeps all of its files in `dir`, and adds `extraConfig` to its
 * server block.
 */
export async function startNginx(dir: string, cores: string, extraConfig = ''): Promise<Nginx> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const root = join(dir, 'root')
  await mkdir(join(root, 'files'), { recursive: true })
  await writeFile(join(root, 'ready'), 'ready')
  await writeFile(join(dir, 'nginx.conf'), createConfiguration(dir, port, extraConfig))
  const command = ['nginx', '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')]
  const { pid, stop } = await startServer(pinToCores(cores, command), {
    url: `${url}/ready`,
    logFile: join(dir, 'output.log'),
  })
  return { url, root, pids: listProcessTree(pid), stop }
}
