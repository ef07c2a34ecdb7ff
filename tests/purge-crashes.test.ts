import { setImmediate as soon } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { checkAfterTwoDays } from './faults/checks.ts'
import { startEnvironment } from './faults/environment.ts'
import { checkPurged } from './faults/invariants.ts'
import { logIn, makeClient, makeFile, putBytes, signUp, startUpload } from './support/make.ts'
import { freshDatabase } from './support/postgres.ts'
import { chooseRounds } from './support/rounds.ts'
import { runSeededRounds } from './support/seeded-rounds.ts'
import { requestConfirm } from './support/upload-requests.ts'

const dayMs = 24 * 60 * 60_000
/** How many days it takes for every file to expire. */
const daysUntilAllExpired = 31
const filesPerRound = 8
const uploadsPerRound = 3

test('jobs killed at any statement resume and never report a file as purged while it is stored', async () => {
  const rounds = chooseRounds(1, 100)
  const backends = { database: await freshDatabase(), postgres: null, s3Server: null }
  const environment = await startEnvironment(backends, 'disk', { isLong: true, limits: 'short' })
  const { server, network, directDb, storageReader } = environment
  try {
    const { email, password } = await signUp(server)
    await directDb.query(`update users set tier = 'premium' where email = $1`, [email])
    const signIn = async () => makeClient(server, await logIn(server, email, password))
    const passDays = (days: number) =>
      server.setClock(new Date(server.now().getTime() + days * dayMs))
    const makeFilesAndUploads = async () => {
      const ada = await signIn()
      const codes: string[] = []
      for (let fileCount = 0; fileCount < filesPerRound; fileCount += 1) {
        codes.push((await makeFile(ada)).shortCode)
      }
      for (let uploadCount = 0; uploadCount < uploadsPerRound; uploadCount += 1) {
        await putBytes(await startUpload(ada, { size: 10 }), new Uint8Array(10))
      }
      return codes
    }

    // Run the jobs once without killing the server, to count their statements.
    await makeFilesAndUploads()
    await passDays(daysUntilAllExpired)
    network.clearStatements()
    expect(await server.run({ type: 'run-jobs' })).toBe(null)
    const statementCount = network.statements.length

    let interruptedCount = 0
    await runSeededRounds(rounds, async (random) => {
      const codes = await makeFilesAndUploads()
      await passDays(daysUntilAllExpired)
      const activeUpload = await startUpload(await signIn(), { size: 10 })
      await putBytes(activeUpload, new Uint8Array(10))
      // Aim for the first half of the statements, because the jobs continue until the kill signal
      // arrives.
      const killAt = 1 + random(Math.ceil(statementCount / 2))
      let isDone = false
      network.clearStatements()
      const jobsPromise = server.run({ type: 'run-jobs' }).finally(() => {
        isDone = true
      })
      while (network.statements.length < killAt && !isDone) await soon()
      await server.kill()
      if ((await jobsPromise) !== null) interruptedCount += 1
      await server.start()
      await checkPurged(directDb, storageReader)
      for (const code of codes) {
        expect((await fetch(`${server.url}/api/download/${code}`)).status).toBe(404)
      }
      expect((await requestConfirm(await signIn(), activeUpload.cloudKey)).status).toBe(200)
    })
    expect(interruptedCount).toBeGreaterThanOrEqual(rounds / 2)
    await checkAfterTwoDays(environment, [], new Map(), () => {})
  } finally {
    await environment.close()
  }
})
