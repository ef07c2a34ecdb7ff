import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyBackup } from '../src/server/backup/backup-folder.ts'
import { openDatabaseInUse } from '../src/server/db/open.ts'
import { openJobQueue } from '../src/server/jobs/job-queue.ts'
import { dayInMs } from '../src/shared/rules/format/units.ts'
import { childEnvironment, root } from './support/child-program.ts'
import { prepareDataFolder } from './support/data-folder.ts'
import { findFreePort } from './support/free-port.ts'
import { runAndKill } from './support/killed-script.ts'
import { logIn, makeClient, makeFile, sha256, signUp } from './support/make.ts'
import { isLongRun } from './support/rounds.ts'
import { startServerProcess } from './support/server-process.ts'

const log = pino({ level: 'silent' })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-backups-'))
})
afterAll(() => rm(folder, { recursive: true }))

/**
 * Runs the backup or restore command as documented in docs/operations.md, but with the test's
 * directories.
 */
async function runFromPage(command: 'backup' | 'restore', dataDir: string) {
  const guide = await readFile(join(root, 'docs/operations.md'), 'utf8')
  const line =
    guide.split('\n').find((pageLine) => pageLine.includes(`npm run ${command} /srv`)) ?? ''
  const script = line
    .replace(/\/srv\/mayfly\/\w+/, `'${dataDir}'`)
    .replace(/\/srv\/backups\/[\d-]+/, `'${join(folder, 'backup')}'`)
  expect(script).toContain(folder)
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(
      'sh',
      ['-ec', script],
      { cwd: root, env: { ...process.env, ...childEnvironment } },
      (error, _, output) => resolve({ code: Number(error?.code ?? 0), output }),
    )
  })
}

/** Opens the database in a data directory, even while a server uses it. */
async function withPool<T>(dataDir: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const { pool, close } = await openDatabaseInUse({ dataDir, databaseUrl: null }, log)
  try {
    return await work(pool)
  } finally {
    await close()
  }
}

/** Queues an email that isn't due for ten years, so it stays in the queue. */
function queueEmail(dataDir: string, id: string): Promise<void> {
  return withPool(dataDir, async (pool) => {
    const queue = await openJobQueue(pool, log)
    const dueAt = new Date(Date.now() + 10 * 365 * dayInMs)
    await queue.emails.add({ kind: 'signup', signupId: id }, undefined, { key: id, at: dueAt })
    await queue.stop()
  })
}

/**
 * Kills a backup just before its last step. In a long run, kills one before every step. Asserts
 * that no killed backup counts as complete.
 */
async function killBackups(dataDir: string): Promise<void> {
  const lastStepPattern = /^rename .*\/SHA256SUMS$/
  const kill = async (before: RegExp, count: number) => {
    const backupDir = await mkdtemp(join(folder, 'killed-'))
    const env = { DATA_DIR: dataDir }
    const killPoint = { before, count, atLatest: lastStepPattern }
    const { killedBefore, output } = await runAndKill(
      ['scripts/backup.ts', backupDir],
      env,
      killPoint,
    )
    expect(killedBefore, output).toMatch(before)
    await expect(verifyBackup(backupDir)).rejects.toThrow('has no complete backup')
    return killedBefore ?? ''
  }
  await kill(lastStepPattern, 1)
  for (let killCount = 1; isLongRun; killCount += 1) {
    if (lastStepPattern.test(await kill(/^/, killCount))) break
  }
}

test('backs up and restores a server with the documented commands, during uploads and after a killed backup', async () => {
  const dataDir = join(folder, 'data')
  await prepareDataFolder(dataDir)
  const port = await findFreePort()
  const server = await startServerProcess({ dataDir, port })
  const { email, password } = await signUp(server)
  const ada = makeClient(server, await logIn(server, email, password))
  const filesBefore = [await makeFile(ada), await makeFile(ada)]
  const signupId = randomUUID()
  await queueEmail(dataDir, signupId)
  await killBackups(dataDir)
  const backupPromise = runFromPage('backup', dataDir)
  let isRunning = true
  void backupPromise.finally(() => {
    isRunning = false
  })
  for (let remainingUploads = 10; isRunning && remainingUploads > 0; remainingUploads -= 1) {
    const file = await makeFile(ada)
    // Delete the file again, because a free user can have only three.
    await ada.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
  }
  expect(await backupPromise).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^The backup is complete: [\d,]+ rows, \d files?, [\d,]+ bytes\.$/m,
    ),
  })
  const { mode } = await stat(join(folder, 'backup'))
  expect(mode & 0o077).toBe(0)

  server.kill('SIGTERM')
  await server.exitCode
  await rm(dataDir, { recursive: true })

  const restoredDir = join(folder, 'restored')
  await prepareDataFolder(restoredDir)
  if (process.getuid?.() === 0) {
    await chown(restoredDir, 12_345, 12_345)
    const refusal = { code: 1, output: expect.stringContaining('belongs to another user') }
    expect(await runFromPage('restore', restoredDir)).toMatchObject(refusal)
    await chown(restoredDir, 0, 0)
  }
  expect(await runFromPage('restore', restoredDir)).toMatchObject({ code: 0 })
  // After the restore, links serve the same bytes, the session is still valid and the email is
  // still queued.
  const restoredServer = await startServerProcess({ dataDir: restoredDir, port })
  try {
    for (const { shortCode, bytes } of filesBefore) {
      const response = await fetch(`${restoredServer.url}/api/download/${shortCode}`)
      expect(sha256(await response.bytes())).toBe(sha256(bytes))
    }
    expect((await ada.fetch('/api/files')).status).toBe(200)
    const emailJobs = await withPool(restoredDir, (pool) =>
      pool.query(`select id, data, state from pgboss.job where id = $1`, [signupId]),
    )
    const jobData = { kind: 'signup', signupId }
    expect(emailJobs.rows).toEqual([{ id: signupId, data: jobData, state: 'created' }])
  } finally {
    restoredServer.kill('SIGTERM')
    await restoredServer.exitCode
  }
})
