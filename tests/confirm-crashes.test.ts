import { test } from 'vitest'
import { killDuringConfirms } from './support/killed-confirms.ts'
import { freshDatabase } from './support/postgres.ts'
import { chooseRounds } from './support/rounds.ts'

test('confirms and renewals killed at any statement are atomic and can be retried', async () => {
  const backends = { database: await freshDatabase(), postgres: null, s3Server: null }
  await killDuringConfirms(backends, 'disk', chooseRounds(1, 100))
})
