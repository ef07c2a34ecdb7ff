import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildCompleteConfig, readDeployFile } from './deployed-nginx.ts'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'

export interface NginxProxy {
  url: string
  /**
   * Routes new requests to the servers on these ports. Resolves when all earlier requests have
   * finished.
   */
  routeTo(ports: readonly number[]): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts nginx in front of local servers with the configuration from `deploy/nginx`, but over HTTP
 * and on a free port.
 */
export async function startNginxProxy(ports: readonly number[]): Promise<NginxProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-nginx-'))
  const settings = { folder, port: await findFreePort(), redirectPort: await findFreePort() }
  const configPath = join(folder, 'nginx.conf')
  const logPath = join(folder, 'error.log')
  await writeFile(configPath, await buildConfig(settings, ports))
  const child = spawn('nginx', ['-c', configPath, '-e', logPath], { stdio: 'ignore' })
  const exitPromise = once(child, 'exit')
  const url = `http://127.0.0.1:${settings.port}`
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(await readFile(logPath, 'utf8'))
    // A request would fail, and nginx would skip its servers for a second.
    const socket = connect(settings.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.destroy()
  })
  const countExitedWorkers = async () =>
    (await readFile(logPath, 'utf8')).match(/worker process \d+ exited/g)?.length ?? 0
  return {
    url,
    async routeTo(newPorts) {
      const exitedCountBefore = await countExitedWorkers()
      await writeFile(configPath, await buildConfig(settings, newPorts))
      child.kill('SIGHUP')
      await eventually(async () => {
        if ((await countExitedWorkers()) === exitedCountBefore)
          throw new Error('the old worker still answers')
      })
    },
    async stop() {
      child.kill('SIGTERM')
      await exitPromise
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface NginxSettings {
  folder: string
  port: number
  /** The port that redirects to HTTPS. Tests don't send requests to it. */
  redirectPort: number
}

async function buildConfig(
  { folder, port, redirectPort: redirectingPort }: NginxSettings,
  ports: readonly number[],
): Promise<string> {
  const siteConfig = replaceAll(await readDeployFile('mayfly.conf'), [
    [/listen 80;/, `listen 127.0.0.1:${redirectingPort};`],
    [/listen 443 ssl http2;/, `listen 127.0.0.1:${port};`],
    [/^ *ssl_.*\n/gm, ''],
    [/\/var\/log\/nginx/g, folder],
    // In tests, the public URL includes a port.
    [/(proxy_set_header Host +)\$host;/, '$1$http_host;'],
  ])
  const serverLines = ports.map((port) => `$<before>127.0.0.1:${port}$<after>`).join('')
  const addressesConfig = replaceAll(await readDeployFile('addresses.conf'), [
    [
      /(?<=upstream mayfly \{\n)(?<before> +server )[\d.:]+(?<after>.*\n)(?: +server .*\n)*/,
      serverLines,
    ],
  ])
  // nginx closes idle connections when it reloads. Browsers then retry their requests, but Node's
  // `fetch` doesn't.
  const sitesConfig = `keepalive_timeout 0;\n${siteConfig}\n${addressesConfig}`
  // nginx logs the exit of a worker only at the `notice` level.
  return `error_log ${folder}/error.log notice;\n${buildCompleteConfig(folder, sitesConfig)}`
}

/** @throws {Error} if a pattern doesn't match the configuration in `deploy` anymore. */
function replaceAll(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((result, [pattern, replacement]) => {
    if (result.search(pattern) < 0) throw new Error(`deploy/nginx has nothing like ${pattern}`)
    return result.replace(pattern, replacement)
  }, text)
}
