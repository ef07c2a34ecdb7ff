import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { type TestSpace, testSpace } from '../../../tests/support/test-space.ts'
import { endsOf, startAll, wish } from '../../../tests/support/upload-batches.ts'
import { mostInBatch } from '../../shared/contract/batch.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { uploads } from '../db/schema.ts'

const megabyte = 1024 ** 2

let space: TestSpace
let app: TestApp
beforeAll(async () => {
  space = testSpace()
  app = await startTestApp({ space })
})
afterAll(() => app.close())

function rowsOf({ id }: Person) {
  return app.deps.db.$count(uploads, eq(uploads.ownerId, id))
}

function wishes(count: number) {
  return Array.from({ length: count }, () => wish())
}

describe('batches that start together on a full disk', () => {
  it('end as few idle uploads as one start would, and none where none would do', async () => {
    const [idle, ada, bob] = [
      await makePerson(app, { tier: 'premium' }),
      await makePerson(app, { tier: 'premium' }),
      await makePerson(app, { tier: 'premium' }),
    ]
    await startAll(idle, wishes(mostInBatch))
    const startBoth = async () => {
      const people = [ada, bob]
      const results = await Promise.all(people.map((one) => startAll(one, wishes(mostInBatch))))
      return new Set(results.flatMap(endsOf))
    }
    space.left = 0
    // None of these uploads is idle yet.
    expect(await startBoth()).toEqual(new Set(['STORAGE_FULL']))
    expect(await rowsOf(idle)).toBe(mostInBatch)

    app.clock.advance(16 * minuteInMs)
    // Each idle upload that is ended frees much more than both batches need.
    space.found = async () => (mostInBatch - (await rowsOf(idle))) * megabyte
    expect(await startBoth()).toEqual(new Set(['ok']))
    expect(await rowsOf(idle)).toBe(mostInBatch - 10)
  })
})
