import { asc, eq, gt, max, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { manyFiles } from '../../../tests/support/many-files.ts'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../tests/support/open-fresh-database.ts'
import { type LogLine, logCollector } from '../../../tests/support/test-log.ts'
import { auditLog, files, users } from '../db/schema.ts'
import { sanitizeFileNames } from './sanitize-file-names.ts'

const now = new Date('2026-03-01T12:00:00Z')

let server: FreshDatabase
let logged: LogLine[]
/** The newest audit log id before a test. Lines can't be removed between tests. */
let lastLine: number
beforeAll(async () => {
  server = await openFreshDatabase()
  const dates = { createdAt: now, updatedAt: now }
  await server.db
    .insert(users)
    .values({ id: 'ada', name: 'Ada', email: 'ada@example.org', ...dates })
  logged = []
  lastLine = 0
})
afterEach(async () => {
  await server.db.delete(files)
  const [last] = await server.db.select({ id: max(auditLog.id) }).from(auditLog)
  lastLine = last?.id ?? 0
  logged = []
})
afterAll(() => server.close())

function sanitize() {
  const log = pino({ level: 'debug' }, logCollector(logged))
  const actor = { id: 'ada', ipAddress: '192.0.2.1' }
  return sanitizeFileNames({ clock: () => now, db: server.db, log }, actor)
}

/** Creates files whose names all begin with a disallowed character. */
async function makeUnclean(count: number) {
  await server.pool.query(manyFiles('ada', count, now))
  await server.db.update(files).set({ originalName: sql`'<' || original_name` })
}

function countUnclean() {
  return server.db.$count(files, sql`original_name like '<%'`)
}

/** Returns the details of the lines that a test added to the audit log, oldest first. */
async function auditedDetails(): Promise<unknown[]> {
  const lines = await server.db
    .select()
    .from(auditLog)
    .where(gt(auditLog.id, lastLine))
    .orderBy(asc(auditLog.id))
  for (const line of lines) {
    expect(line).toMatchObject({
      actor: 'ada',
      action: 'sanitize-file-names',
      ipAddress: '192.0.2.1',
    })
  }
  return lines.map(({ details }) => details)
}

/** Makes the database reject some names while `work` runs. */
async function whileRefused(condition: string, reason: string, work: () => Promise<void>) {
  await server.pool.query(`
    create function refuse_name() returns trigger language plpgsql as $$ begin ${reason} end $$;
    create trigger refuse_name before update on files for each row
      when (${condition}) execute function refuse_name()`)
  try {
    await work()
  } finally {
    await server.pool.query('drop trigger refuse_name on files; drop function refuse_name')
  }
}

it('sanitizes names by the upload rule, except those of deleted files', async () => {
  await server.pool.query(manyFiles('ada', 4, now))
  const ids = (await server.db.select().from(files).orderBy(asc(files.size))).map(({ id }) => id)
  const names = ['ab\u202ec/d:.png', '"quoted".pdf', 'clean name.txt', '<deleted>.txt']
  for (const [at, id = ''] of ids.entries()) {
    const deletedAt = at === 3 ? now : null
    await server.db
      .update(files)
      .set({ originalName: names[at], deletedAt })
      .where(eq(files.id, id))
  }
  expect(await sanitize()).toEqual({ updated: 2, errors: 0 })
  const rows = await server.db.select().from(files).orderBy(asc(files.size))
  expect(rows.map(({ originalName }) => originalName)).toEqual([
    expect.stringMatching(/^[^:/"]+\.png$/),
    'quoted.pdf',
    'clean name.txt',
    '<deleted>.txt',
  ])
  expect(await sanitize()).toEqual({ updated: 0, errors: 0 })
  expect(await auditedDetails()).toEqual([
    { updated: 2, errors: 0 },
    { updated: 0, errors: 0 },
  ])
})

it('handles any number of files', async () => {
  await makeUnclean(1100)
  expect(await sanitize()).toEqual({ updated: 1100, errors: 0 })
  expect(await countUnclean()).toBe(0)
  expect(await auditedDetails()).toEqual([{ updated: 1100, errors: 0 }])
})

it("counts and logs the names it can't change, and changes the rest", async () => {
  await makeUnclean(20)
  const refused = "new.original_name like 'Report 7 %' or new.original_name like 'Report 12 %'"
  await whileRefused(refused, "raise exception 'this name stays';", async () => {
    expect(await sanitize()).toEqual({ updated: 18, errors: 2 })
  })
  expect(await countUnclean()).toBe(2)
  expect(await auditedDetails()).toEqual([{ updated: 18, errors: 2 }])
  const left = await server.db.select().from(files).where(sql`original_name like '<%'`)
  const ids = logged.map(({ msg, fileId }) => [msg, fileId])
  expect(new Set(ids)).toEqual(
    new Set(left.map(({ id }) => ['could not clean the name of a file', id])),
  )
  expect(await sanitize()).toEqual({ updated: 2, errors: 0 })
})

it('stops when the connection is lost, and logs its changes so far', async () => {
  await makeUnclean(8)
  const cut = 'perform pg_terminate_backend(pg_backend_pid()); return new;'
  await whileRefused("new.original_name like 'Report 5 %'", cut, async () => {
    await expect(sanitize()).rejects.toThrow()
  })
  expect(await auditedDetails()).toEqual([{ updated: 8 - (await countUnclean()), errors: 0 }])
  expect(await countUnclean()).toBeGreaterThan(0)
})

it('changes each name once when run twice concurrently', async () => {
  await makeUnclean(300)
  const runs = await Promise.all([sanitize(), sanitize()])
  expect(runs.reduce((sum, { updated }) => sum + updated, 0)).toBe(300)
})
