import { test } from 'vitest'
import { killDuringConfirms } from './support/killed-confirms.ts'
import { freshDatabase } from './support/postgres.ts'
import { roundsOf } from './support/rounds.ts'

test('confirms and renewals that are killed at any statement are done whole or not at all, and can be repeated', async () => {
  const backends = { database: await freshDatabase(), postgres: null, s3Server: null }
  await killDuringConfirms(backends, 'disk', roundsOf(2, 100))
})
