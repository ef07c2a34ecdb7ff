import { asc, eq, gt, max, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { findWrongTotals } from '../../../tests/support/link-totals.ts'
import { insertFilesQuery } from '../../../tests/support/many-files.ts'
import {
  type FreshDatabase,
  openFreshDatabase,
} from '../../../tests/support/open-fresh-database.ts'
import { type LogLine, logCollector } from '../../../tests/support/test-log.ts'
import { auditLog, files, users } from '../db/schema.ts'
import { recountLinks } from '../links/queries.ts'
import { sanitizeFileNames } from './sanitize-file-names.ts'

const now = new Date('2026-03-01T12:00:00Z')

let server: FreshDatabase
let logLines: LogLine[]
/** The newest audit log id before the current test. The log can't be cleared between tests. */
let lastAuditId: number
beforeAll(async () => {
  server = await openFreshDatabase()
  const dates = { createdAt: now, updatedAt: now }
  await server.db
    .insert(users)
    .values({ id: 'ada', name: 'Ada', email: 'ada@example.org', ...dates })
  logLines = []
  lastAuditId = 0
})
afterEach(async () => {
  await server.db.delete(files)
  const [lastEntry] = await server.db.select({ id: max(auditLog.id) }).from(auditLog)
  lastAuditId = lastEntry?.id ?? 0
  logLines = []
})
afterAll(() => server.close())

function runSanitize() {
  const log = pino({ level: 'debug' }, logCollector(logLines))
  const actor = { id: 'ada', ipAddress: '192.0.2.1' }
  return sanitizeFileNames({ clock: () => now, db: server.db, log }, actor)
}

/** Creates files, of which every nth has a name that starts with a disallowed character. */
async function makeUncleanFiles(count: number, every = 1) {
  await server.pool.query(insertFilesQuery('ada', count, now))
  await server.db
    .update(files)
    .set({ originalName: sql`'<' || original_name` })
    .where(sql`size / 1000 % ${every} = 0`)
  await recountLinks(server.db, 'all')
}

function countUncleanFiles() {
  return server.db.$count(files, sql`original_name like '<%'`)
}

/** Returns the details of the audit log entries that the current test added, oldest first. */
async function listAuditDetails(): Promise<unknown[]> {
  const lines = await server.db
    .select()
    .from(auditLog)
    .where(gt(auditLog.id, lastAuditId))
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

async function withRejectedRenames(
  condition: string,
  triggerBody: string,
  work: () => Promise<void>,
) {
  await server.pool.query(`
    create function refuse_name() returns trigger language plpgsql as $$ begin ${triggerBody} end $$;
    create trigger refuse_name before update on files for each row
      when (${condition}) execute function refuse_name()`)
  try {
    await work()
  } finally {
    await server.pool.query('drop trigger refuse_name on files; drop function refuse_name')
  }
}

it('sanitizes names by the rule for uploads, except those of deleted files', async () => {
  await server.pool.query(insertFilesQuery('ada', 4, now))
  const ids = (await server.db.select().from(files).orderBy(asc(files.size))).map(({ id }) => id)
  const names = ['ab\u202ec/d:.png', '"quoted".pdf', 'clean name.txt', '<deleted>.txt']
  for (const [index, id = ''] of ids.entries()) {
    const deletedAt = index === 3 ? now : null
    await server.db
      .update(files)
      .set({ originalName: names[index], deletedAt })
      .where(eq(files.id, id))
  }
  await recountLinks(server.db, 'all')
  expect(await runSanitize()).toEqual({ updated: 2, errors: 0 })
  const rows = await server.db.select().from(files).orderBy(asc(files.size))
  expect(rows.map(({ originalName }) => originalName)).toEqual([
    expect.stringMatching(/^[^:/"]+\.png$/),
    'quoted.pdf',
    'clean name.txt',
    '<deleted>.txt',
  ])
  expect(await runSanitize()).toEqual({ updated: 0, errors: 0 })
  expect(await listAuditDetails()).toEqual([
    { updated: 2, errors: 0 },
    { updated: 0, errors: 0 },
  ])
})

it('handles any number of files', async () => {
  await makeUncleanFiles(1100, 20)
  expect(await runSanitize()).toEqual({ updated: 55, errors: 0 })
  expect(await findWrongTotals(server.pool)).toEqual([])
  expect(await countUncleanFiles()).toBe(0)
  expect(await listAuditDetails()).toEqual([{ updated: 55, errors: 0 }])
})

it("counts and logs the names it can't change, and changes the others", async () => {
  await makeUncleanFiles(20)
  const rejectedNamesSql =
    "new.original_name like 'Report 7 %' or new.original_name like 'Report 12 %'"
  await withRejectedRenames(rejectedNamesSql, "raise exception 'this name stays';", async () => {
    expect(await runSanitize()).toEqual({ updated: 18, errors: 2 })
  })
  expect(await countUncleanFiles()).toBe(2)
  expect(await listAuditDetails()).toEqual([{ updated: 18, errors: 2 }])
  const uncleanFiles = await server.db.select().from(files).where(sql`original_name like '<%'`)
  const ids = logLines.map(({ msg, fileId }) => [msg, fileId])
  expect(new Set(ids)).toEqual(
    new Set(uncleanFiles.map(({ id }) => ['could not clean the name of a file', id])),
  )
  expect(await runSanitize()).toEqual({ updated: 2, errors: 0 })
})

it('stops when the connection is lost, and logs the changes made so far', async () => {
  await makeUncleanFiles(8)
  const closeConnectionSql = 'perform pg_terminate_backend(pg_backend_pid()); return new;'
  await withRejectedRenames("new.original_name like 'Report 5 %'", closeConnectionSql, async () => {
    await expect(runSanitize()).rejects.toThrow()
  })
  expect(await listAuditDetails()).toEqual([
    { updated: 8 - (await countUncleanFiles()), errors: 0 },
  ])
  expect(await countUncleanFiles()).toBeGreaterThan(0)
})

it('changes each name once when two runs overlap', async () => {
  await makeUncleanFiles(50)
  const results = await Promise.all([runSanitize(), runSanitize()])
  expect(results.reduce((sum, { updated }) => sum + updated, 0)).toBe(50)
})
