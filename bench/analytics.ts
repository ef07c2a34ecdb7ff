import { join } from 'node:path'
import { insertFilesQuery } from '../tests/support/many-files.ts'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, startMayfly } from './mayfly.ts'
import { measureTimes } from './measure-times.ts'
import { createRow, type Row } from './report.ts'

const fileCount = 100_000
const otherAccountCount = 10
const filesPerOtherAccount = 5_000

/** Gives the files seven MIME types and ages of up to 29 days. Their links expire after 7 days. */
const spreadFilesSql = `
  with ages as (
    select id as other, abs(hashtext(id::text)) % (29 * 1440) * interval '1 minute' as age
    from files),
  aged_links as (
    update links set created_at = $1::timestamptz - age,
      expires_at = $1::timestamptz - age + interval '7 days',
      max_lifetime_at = $1::timestamptz - age + interval '30 days'
    from files, ages where links.id = files.link_id and files.id = other)
  update files set
    mime_type = (array['image/png', 'video/mp4', 'audio/mpeg', 'application/pdf', 'application/zip',
      'text/plain', 'font/woff2'])[1 + abs(hashtext(id::text)) % 7],
    created_at = $1::timestamptz - age
  from ages
  where id = other`

/** SQL to run before each measurement, by the measurement's name in the report. */
const steps = {
  'downloads of all sorts':
    'update files set download_count = (1000 / (1 + abs(hashtext(id::text)) % 2000))::int',
  'each downloaded once': 'update files set download_count = 1',
  'all end soon': "update links set expires_at = now() + interval '1 hour'",
  'each downloaded 100 to 108 times':
    'update files set download_count = 100 + abs(hashtext(id::text)) % 9',
}
/** Sorts the table by owner and upload time, as in production, then vacuums and analyzes it. */
const tidyStatements = ['cluster files using files_of_owner', 'vacuum analyze files, links']
const markSomeDownloadedSql =
  'update files set last_download_at = now() where abs(hashtext(id::text)) % 20 = 0'

/**
 * Measures `GET /api/analytics` for a user with 100,000 files in a database that also holds 50,000
 * files from other users. After the first step, it also measures right after an update to 5 % of
 * the files, when index-only scans have to visit the table because it hasn't been vacuumed.
 */
export async function measureAnalytics(cores: Cores, scratch: string): Promise<Row[]> {
  const mayfly = await startMayfly(join(scratch, 'analytics'), cores.server)
  const http = makeHttpClient(1)
  try {
    const cookie = await signIn(mayfly, http)
    await insertAllFiles(mayfly, http, cookie)
    const rows: Row[] = []
    const measure = async (label: string) => {
      const durationsMs = await measureTimes(() =>
        http.expectOk(`${mayfly.url}/api/analytics`, { headers: { cookie } }),
      )
      rows.push(createRow(`analytics of 100,000 files: ${label}`, 'ms', { mayfly: durationsMs }))
    }
    for (const [label, step] of Object.entries(steps)) {
      await mayfly.sql(step)
      for (const statement of tidyStatements) await mayfly.sql(statement)
      await measure(label)
      if (rows.length > 1) continue
      await mayfly.sql(markSomeDownloadedSql)
      await measure(`${label}, just after 5 % were downloaded again`)
    }
    return rows
  } finally {
    http.close()
    await mayfly.stop()
  }
}

async function insertAllFiles(mayfly: Mayfly, http: HttpClient, cookie: string): Promise<void> {
  const insertFiles = async (cookie: string, count: number) => {
    const { body } = await http.expectOk(`${mayfly.url}/api/auth/user`, { headers: { cookie } })
    const { id } = JSON.parse(body.toString()) as { id: string }
    const { text, values } = insertFilesQuery(id, count, new Date())
    await mayfly.sql(text, values)
  }
  for (let account = 0; account < otherAccountCount; account += 1) {
    await insertFiles(await signIn(mayfly, http), filesPerOtherAccount)
  }
  await insertFiles(cookie, fileCount)
  await mayfly.sql(spreadFilesSql, [new Date()])
  await mayfly.sql(`insert into owner_downloads
    select users.id, current_date - n, shard, 1000
    from users, generate_series(0, 59) n, generate_series(0, 15) shard`)
  await mayfly.sql('vacuum analyze owner_downloads')
}
