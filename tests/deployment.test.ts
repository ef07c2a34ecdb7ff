import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../src/server/config/config.ts'
import { settingsSchema } from '../src/server/config/startup-settings.ts'
import { privateNetworks } from '../src/server/http/client-address.ts'
import type { File } from '../src/shared/contract/files.ts'
import { type DeployedNginx, startDeployedNginx } from './support/deployed-nginx.ts'
import { findFreePort } from './support/free-port.ts'
import { type NameServer, startNameServer } from './support/name-server.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import { describeBehindNginx, describeRequiring } from './support/test-requirements.ts'

interface Service {
  image: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  command?: string | string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
  environment?: Record<string, string>
  networks?: Record<string, { aliases: string[] }>
  volumes?: string[]
}

function read(path: string): Promise<string> {
  return readFile(new URL(`../${path}`, import.meta.url), 'utf8')
}

const systemdAnalyze = 'systemd-analyze'
const hasSystemd = spawnSync(systemdAnalyze, ['--version']).status === 0

describe('compose.yaml', async () => {
  const text = await read('compose.yaml')
  const { services }: { services: Record<string, Service> } = parse(text, { merge: true })
  const servers = Object.entries(services).filter(([, { image }]) => image === 'mayfly')

  test('sets only known settings, with valid values', () => {
    expect(servers.map(([name]) => name)).toEqual(['app1', 'app2'])
    for (const [, { environment = {} }] of servers) {
      expect(Object.keys(settingsSchema.shape)).toEqual(
        expect.arrayContaining(Object.keys(environment)),
      )
      const filledEnvironment = Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{(\w+):[?-][^}]*\}/g, (_, variable: string) => examples[variable] ?? ''),
      ])
      const config = readConfig(Object.fromEntries(filledEnvironment))
      expect(config.trustedProxies).toBe(privateNetworks)
      expect(config.s3?.bucket).toBe('mayfly')
    }
  })

  test('defines the names and files that nginx uses', async () => {
    const defaults = (await read('deploy/nginx/containers.conf')).matchAll(/default (\w+):(\d+);/g)
    expect(Array.from(defaults, ([, name, port]) => [name, port])).toEqual([
      ['app', '3000'],
      ['s3', '8333'],
    ])
    for (const [, { networks }] of servers) expect(networks?.default?.aliases).toEqual(['app'])
    expect(services.s3).toBeDefined()
    const mountedPaths = (services.nginx?.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
    const configFiles = mountedPaths.filter((path) => !path.endsWith('/tls'))
    const files = ['mayfly', 's3', 'containers'].map((name) => `./deploy/nginx/${name}.conf`)
    expect(configFiles).toEqual(files)
  })

  test('gives the servers no unnecessary privileges', () => {
    for (const [, server] of servers) {
      expect(server).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
  })

  test('starts services once their dependencies are healthy', async () => {
    const dockerfile = await read('Dockerfile')
    for (const [name, { depends_on: dependencies = {} }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(dependencies)) {
        if (condition === 'service_completed_successfully') {
          expect([name, other]).toEqual([expect.stringMatching(/^app/), 'bucket'])
          continue
        }
        expect([name, other, condition]).toEqual([name, other, 'service_healthy'])
        const hasCheck = services[other]?.image === 'mayfly' && /^HEALTHCHECK/m.test(dockerfile)
        expect(hasCheck || services[other]?.healthcheck, other).toBeTruthy()
      }
    }
    expect(services.bucket?.depends_on).toEqual({ s3: { condition: 'service_healthy' } })
  })

  describe('the service that creates the bucket', () => {
    let folder: string
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mayfly-bucket-'))
      await writeFile(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 })
      await writeFile(join(folder, 'seq'), '#!/bin/sh\necho 1 2 3 4\n', { mode: 0o755 })
    })
    afterEach(() => rm(folder, { recursive: true }))

    /**
     * Runs the service with a fake `weed shell` that prints these outputs. Like the real one, it
     * always exits with 0. Returns the service's exit code and the commands sent to the shell.
     */
    const runSetup = async (outputs: readonly string[]) => {
      const logPath = join(folder, 'commands')
      for (const [at, text] of outputs.entries()) await writeFile(join(folder, `${at}`), text)
      const weedScript = `#!/bin/sh
at=$(cat '${logPath}' 2>/dev/null | wc -l)
cat >> '${logPath}'
[ -e '${folder}/'$at ] || at=${outputs.length - 1}
cat '${folder}/'$at
`
      await writeFile(join(folder, 'weed'), weedScript, { mode: 0o755 })
      // In Compose files, `$$` is an escaped `$`.
      const script = String(services.bucket?.command?.at(0)).replaceAll('$$', '$')
      const PATH = `${folder}:${process.env.PATH}`
      const { status } = spawnSync('/bin/sh', ['-c', script], { env: { PATH } })
      const commands = (await readFile(logPath, 'utf8')).trim().split('\n')
      return { status, commands }
    }
    const list = 's3.bucket.list'
    const create = 's3.bucket.create -name mayfly -owner mayfly'
    const otherBuckets = '  mayfly-old\tsize:0\tlogical:0\tchunk:0\n  of-mayfly\tsize:0\n'
    const ownBucket = '  mayfly\tsize:0\tlogical:0\tchunk:0\n'

    test('leaves an existing bucket alone', async () => {
      expect(await runSetup([otherBuckets + ownBucket])).toEqual({ status: 0, commands: [list] })
    })

    test('creates a missing bucket and verifies it', async () => {
      const outputs = [otherBuckets, 'created bucket mayfly\n', otherBuckets + ownBucket]
      expect(await runSetup(outputs)).toEqual({ status: 0, commands: [list, create, list] })
    })

    test("creates nothing if it can't list buckets", async () => {
      const connectionRefused = 'error: read buckets: connection refused\n'
      const outputs = [connectionRefused, connectionRefused, ownBucket]
      expect(await runSetup(outputs)).toEqual({ status: 0, commands: [list, list, list] })
    })

    test("fails if the bucket doesn't appear", async () => {
      const { status, commands } = await runSetup(['error: no filer\n'])
      expect(status).toBe(1)
      expect(commands).toEqual([list, list, list, list])
    })
  })

  test('requires every secret, contains none, and pins its images', () => {
    expect(text).not.toMatch(/(PASSWORD|SECRET|KEY_ID|TOKEN): +['"]?[^\s$'"]/)
    for (const { image } of Object.values(services)) {
      if (image !== 'mayfly') expect(image).toMatch(/:\d+(\.\d+)*(-\w+)?$/)
    }
  })
})

/** Values that an operator might put in `.env`. */
const examples: Record<string, string> = {
  POSTGRES_PASSWORD: 'a-password',
  S3_ACCESS_KEY_ID: 'mayfly',
  S3_SECRET_ACCESS_KEY: 'a-secret-key',
  AUTH_SECRET: '0123456789abcdef0123456789abcdef',
  ADMIN_EMAIL: 'ada@example.org',
  ADMIN_PASSWORD: 'correct horse',
}

describeRequiring('systemd', hasSystemd, 'the systemd units', () => {
  test.each(['mayfly.service', 'mayfly@.service'])('%s is valid', async (name) => {
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-unit-'))
    const unit = await read(`deploy/systemd/${name}`)
    const path = join(folder, name)
    await writeFile(path, unit)
    const { status, stdout, stderr } = spawnSync(systemdAnalyze, ['verify', '--man=no', path])
    await rm(folder, { recursive: true })
    expect([status, `${stdout}${stderr}`]).toEqual([0, ''])
  })
})

test('several servers on one machine are sandboxed like a single one', async () => {
  const rules = (unit: string) => unit.slice(unit.indexOf('# Nothing but its own folder'))
  const [singleUnit, serversUnit] = [
    await read('deploy/systemd/mayfly.service'),
    await read('deploy/systemd/mayfly@.service'),
  ]
  expect(rules(serversUnit)).toBe(rules(singleUnit))
  expect(serversUnit).toContain('Environment=PORT=%i DATA_DIR=/srv/mayfly/data-%i\n')
})

test('tutorial.md creates the user and directory that the unit names', async () => {
  const unit = await read('deploy/systemd/mayfly.service')
  const unitValue = (name: string) => new RegExp(`^${name}=-?(.+)$`, 'm').exec(unit)?.[1] ?? name
  const [user, home] = [unitValue('User'), unitValue('WorkingDirectory')]
  const commands = await read('docs/tutorial.md')
  expect(commands).toMatch(new RegExp(`useradd .*--home-dir ${home} .* ${user}\n`))
  expect(commands).toMatch(new RegExp(`install --owner=${user} .* ${home}/\\.env\n`))
  expect(unitValue('ReadWritePaths')).toBe(home)
})

describe('the Dockerfile', async () => {
  const text = await read('Dockerfile')
  const lastStage = text.slice(text.lastIndexOf('\nFROM'))

  test('starts the package without root and has a health check', () => {
    expect(lastStage).toContain('ENTRYPOINT ["node", "node_modules/mayfly/bin/mayfly.mjs"]')
    expect(/^USER (.+)$/m.exec(lastStage)?.[1]).toBe('node')
    expect(lastStage).toMatch(/^HEALTHCHECK/m)
  })

  test('sets only known variables', () => {
    const [, variables = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(lastStage) ?? []
    const names = Array.from(variables.matchAll(/(\w+)=/g), ([, name]) => name)
    expect([...Object.keys(settingsSchema.shape), 'NODE_ENV']).toEqual(
      expect.arrayContaining(names),
    )
  })

  test('copies existing files that .dockerignore lets through', async () => {
    const paths = Array.from(text.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, from = '']) =>
      from.split(' '),
    ).flat()
    expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
    const ignoreLines = (await read('.dockerignore')).trim().split('\n')
    const secrets = ['**/.env', 'deploy/nginx/tls']
    expect(ignoreLines.slice(-secrets.length)).toEqual(secrets)
    const allowed = ignoreLines.slice(0, -secrets.length)
    expect(new Set(allowed)).toEqual(new Set(['*', ...paths.map((path) => `!${path}`)]))
  })
})

describeBehindNginx('nginx as configured in deploy', () => {
  const site = 'files.example.org'
  let app: TestApp
  let bucket: Server
  let nginx: DeployedNginx
  let bucketRequests: IncomingMessage[]
  beforeAll(async () => {
    app = await startTestApp({ env: { APP_URL: `https://${site}`, TRUST_PROXY: 'on' } })
    bucketRequests = []
    bucket = createServer((request, response) => {
      bucketRequests.push(request)
      response.setHeader('access-control-allow-origin', '*')
      response.end('bytes')
    })
    await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve))
    const server = `127.0.0.1:${app.deps.config.port}`
    const bucketAddress = `127.0.0.1:${(bucket.address() as AddressInfo).port}`
    nginx = await startDeployedNginx({ servers: [server, server], bucket: bucketAddress })
  })
  afterAll(async () => {
    await nginx.stop()
    await new Promise((resolve) => bucket.close(resolve))
    await app.close()
  })

  const callApi = async <T>(path: string, body: unknown, cookie = ''): Promise<[T, string]> => {
    const headers = { 'content-type': 'application/json', origin: `https://${site}`, cookie }
    const postOptions = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await nginx.send(site, path, postOptions)
    expect(response.status, `${path}: ${response.body}`).toBe(200)
    const cookies = (response.headers['set-cookie'] ?? []).map((header) => header.split(';', 1)[0])
    return [JSON.parse(response.body.toString()), cookies.join('; ')]
  }

  test("forwards uploads, downloads and the client's IP address, and logs no short code", async () => {
    const [email, password] = ['ada@example.org', 'correct horse']
    const form = { firstName: 'Ada', lastName: 'L', email, password, confirmPassword: password }
    await callApi('/api/auth/signup', form)
    const [, cookie] = await callApi('/api/auth/login', { email, password })
    const bytes = Buffer.alloc(3_000_000, 'mayfly')
    const uploadOptions = { fileName: 'a.bin', fileType: 'text/plain', expirationDays: '3' }
    const uploadRequest = { ...uploadOptions, fileSize: bytes.length }
    const [startedUpload] = await callApi<{ uploadUrl: string; cloudKey: string }>(
      '/api/files/get-upload-url',
      uploadRequest,
      cookie,
    )
    const { origin, pathname, search } = new URL(startedUpload.uploadUrl)
    expect(origin).toBe(`https://${site}`)
    const headers = { 'content-type': 'text/plain' }
    const putOptions = { method: 'PUT', headers, body: bytes }
    expect((await nginx.send(site, pathname + search, putOptions)).status).toBe(200)
    const { cloudKey } = startedUpload
    const [{ shortCode }] = await callApi<File>('/api/files/confirm-upload', { cloudKey }, cookie)
    const downloadResponse = await nginx.send(site, `/s/${shortCode}`)
    expect(downloadResponse.body.equals(bytes)).toBe(true)

    const forgedHeaders = { cookie, 'x-forwarded-for': '192.0.2.9' }
    const sessionsResponse = await nginx.send(site, '/api/auth/sessions', {
      headers: forgedHeaders,
    })
    expect(JSON.parse(sessionsResponse.body.toString())[0].ipAddress).toBe('127.0.0.1')
    const logText = await nginx.log()
    expect(logText).toContain('GET /s/- 200')
    expect(logText).not.toContain(shortCode)
    expect(logText).not.toContain('signature')
  })

  test('hides the metrics and redirects HTTP to HTTPS', async () => {
    expect((await nginx.send(site, '/metrics')).status).toBe(404)
    const plain = await fetch(`http://127.0.0.1:${nginx.httpPort}/faq?a=1`, { redirect: 'manual' })
    expect(plain.status).toBe(301)
    expect(plain.headers.get('location')).toMatch(/^https:\/\/.*\/faq\?a=1$/)
  })

  test('forwards signed bucket requests unchanged, and no others', async () => {
    const host = 's3.example.org'
    const path = '/mayfly/files/k%20ey?X-Amz-Date=1&X-Amz-Signature=abc'
    const signedResponse = await nginx.send(host, path)
    expect(signedResponse.body.toString()).toBe('bytes')
    expect(signedResponse.headers['access-control-allow-origin']).toBe(`https://${site}`)
    expect(bucketRequests.at(-1)?.url).toBe(path)
    expect(bucketRequests.at(-1)?.headers.host).toBe(host)
    const countBefore = bucketRequests.length
    expect((await nginx.send(host, '/mayfly/?list-type=2')).status).toBe(403)
    const preflightResponse = await nginx.send(host, path, { method: 'OPTIONS' })
    expect(preflightResponse.status).toBe(204)
    expect(preflightResponse.headers['access-control-allow-methods']).toContain('PUT')
    expect(bucketRequests).toHaveLength(countBefore)
  })
})

describeBehindNginx('nginx logs', () => {
  const hostNames = ['files.example.org', 's3.example.org']
  let nginx: DeployedNginx
  beforeAll(async () => {
    // nginx logs a refused connection at the `error` level, and a missing socket at the `crit`
    // level.
    const [refusing, absent] = [`127.0.0.1:${await findFreePort()}`, 'unix:/nowhere/mayfly.sock']
    nginx = await startDeployedNginx({ servers: [refusing, absent], bucket: absent })
  })
  afterAll(() => nginx.stop())

  test('contain no short code or token while everything is down', async () => {
    const path = '/s/SECRET?token=SECRET'
    const plain = await fetch(`http://127.0.0.1:${nginx.httpPort}${path}`, { redirect: 'manual' })
    expect(plain.status).toBe(301)
    for (const host of hostNames) {
      // Send each request twice, because nginx marks the servers as down after the first.
      for (let time = 0; time < 2; time += 1) {
        expect((await nginx.send(host, `${path}&X-Amz-Signature=SECRET`)).status).toBe(502)
      }
    }
    await expect.poll(async () => (await nginx.log()).match(/ 502 /g)).toHaveLength(4)
    const logText = await nginx.log()
    expect(logText).toContain('GET /s/- 301')
    expect(logText).toContain('GET /s/- 502')
    expect(logText + (await nginx.errors())).not.toContain('SECRET')
  })
})

describeBehindNginx('nginx without a bucket', () => {
  const site = 'files.example.org'
  const server = createServer((_, response) => response.end('a page'))
  let nginx: DeployedNginx
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const serverAddress = `127.0.0.1:${(server.address() as AddressInfo).port}`
    nginx = await startDeployedNginx({ servers: [serverAddress, serverAddress] })
  })
  afterAll(async () => {
    await nginx.stop()
    await new Promise((resolve) => server.close(resolve))
  })

  test("starts with only the server's certificate", async () => {
    expect((await nginx.send(site, '/')).body.toString()).toBe('a page')
  })
})

describeBehindNginx('nginx in front of containers', () => {
  let names: NameServer
  let port: number
  let nginx: DeployedNginx
  const servers: Server[] = []
  beforeAll(async () => {
    ;[names, port] = [await startNameServer(), await findFreePort()]
    // nginx must start even when no container is running.
    nginx = await startDeployedNginx({ nameServer: names.port, port })
  })
  afterAll(async () => {
    await nginx.stop()
    for (const server of servers) server.close()
    await names.close()
  })

  /** Starts a server that responds with its address and the request body. */
  const startServer = async (address: string): Promise<Server> => {
    const server = createServer(async (request, response) => {
      response.end(`${address} ${await text(request)}`)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(port, address, resolve))
    return server
  }

  const requestBoth = async (): Promise<string[]> => {
    const postOptions = { method: 'POST', body: 'body' }
    const siteResponse = await nginx.send('files.example.org', '/', postOptions)
    const bucketResponse = await nginx.send('s3.example.org', '/mayfly/a?X-Amz-Signature=a')
    return [siteResponse, bucketResponse].map(({ status, body }) =>
      status === 200 ? body.toString() : `${status}`,
    )
  }

  test('skips a server that refuses connections and finds one recreated at another address', async () => {
    expect(await requestBoth()).toEqual(['502', '502'])
    const [first, second, third] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const
    const oldServer = await startServer(first)
    names.set('app', [first, second])
    names.set('s3', [first])
    await expect.poll(requestBoth).toEqual([`${first} body`, `${first} `])
    // Whichever address nginx tries first, the request must reach the server that is listening.
    for (let time = 0; time < 4; time += 1) expect((await requestBoth())[0]).toBe(`${first} body`)

    await startServer(second)
    await startServer(third)
    oldServer.close()
    for (let time = 0; time < 4; time += 1) expect((await requestBoth())[0]).toBe(`${second} body`)
    names.set('app', [third])
    names.set('s3', [second])
    await expect.poll(requestBoth).toEqual([`${third} body`, `${second} `])
  })
})
