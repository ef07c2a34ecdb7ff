import { execFile, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './support/child-program.ts'
import { installPackage, serverEnvironment, shellEnvironment } from './support/installed-package.ts'
import { logIn, makeClient, makeFile, signUp } from './support/make.ts'
import { isLongRun } from './support/rounds.ts'
import { runProgram, waitUntilReady } from './support/run-program.ts'
import { describeRequiring } from './support/test-requirements.ts'

const execute = promisify(execFile)

const isRepository =
  spawnSync('git', ['rev-parse', '--verify', 'HEAD~1'], { cwd: root }).status === 0

/** Two builds and two installs, which take a minute. `npm test` has migrate.test.ts. */
describe.runIf(isLongRun)('an upgrade from the commit before', () => {
  describeRequiring('history', isRepository, 'by installing the new package', () => {
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mayfly-upgrade-'))
      // Postgres may run as another user.
      await chmod(folder, 0o755)
    })
    afterAll(() => rm(folder, { recursive: true }))

    /** Packs a clone. Returns the package's path. */
    const pack = async (clone: string, name: string) => {
      const { stdout } = await execute('npm', ['run', '--silent', 'package'], {
        cwd: clone,
        env: shellEnvironment,
      })
      await copyFile(join(clone, 'dist', stdout.trim()), join(folder, name))
      return join(folder, name)
    }

    const start = async (program: string) => {
      const server = await runProgram([program], { cwd: folder, env: serverEnvironment })
      await waitUntilReady(server)
      return server
    }

    test('keeps accounts, links and files', async () => {
      const oldClone = join(folder, 'before')
      await mkdir(oldClone)
      await execute('sh', ['-ec', `git archive HEAD~1 | tar -x -C '${oldClone}'`], { cwd: root })
      const lockDiff = ['diff', '--quiet', 'HEAD~1', '--', 'package-lock.json']
      const hasSamePackages = spawnSync('git', lockDiff, { cwd: root }).status === 0
      if (hasSamePackages) await symlink(join(root, 'node_modules'), join(oldClone, 'node_modules'))

      const home = join(folder, 'home')
      const program = await installPackage(await pack(oldClone, 'before.tgz'), home)
      const oldServer = await start(program)
      const { email, password } = await signUp(oldServer)
      const person = makeClient(oldServer, await logIn(oldServer, email, password))
      const { shortCode, bytes } = await makeFile(person)
      oldServer.child.kill('SIGTERM')
      expect(await oldServer.ended).toBe(0)

      await installPackage(await pack(root, 'after.tgz'), home)
      const newServer = await start(program)
      const newPerson = makeClient(newServer, await logIn(newServer, email, password))
      const files = await (await newPerson.fetch('/api/files')).json()
      expect(files).toEqual([expect.objectContaining({ shortCode })])
      const download = await fetch(`${newServer.url}/s/${shortCode}`)
      expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true)
      newServer.child.kill('SIGTERM')
      expect(await newServer.ended).toBe(0)
    })
  })
})
