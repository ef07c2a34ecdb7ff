import { randomInt } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { play } from './faults/play.ts'
import { freshDatabase } from './support/postgres.ts'
import { roundsOf } from './support/rounds.ts'
import { describeOnS3 } from './support/s3.ts'

describeOnS3('users against faults by chance, with a bucket', () => {
  it('everything that was answered holds', async () => {
    const seed = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31))
    const rounds = roundsOf(1, 100)
    const place = { database: await freshDatabase(), postgres: null, s3Server: inject('s3Server') }
    const played = await play(place, { seed, setup: 'bucket', rounds })
    expect(played.rounds).toBe(rounds)
    expect(played.downloads).toBeGreaterThan(0)
  })
})
