import { sql } from 'drizzle-orm'
import { utcDay } from '../../../src/shared/rules/format/day.ts'
import type { TestApp } from '../../support/app-server.ts'
import { makeFile, type Person } from '../../support/make.ts'

/** Number of downloads on each of the last 30 days, 412 in all. */
const downloads = [
  3, 0, 2, 5, 8, 6, 4, 1, 0, 7, 12, 9, 5, 3, 2, 6, 11, 14, 9, 8, 10, 6, 25, 36, 61, 52, 41, 33, 24,
  9,
]

const longName = `Minutes ${'of a very long meeting '.repeat(8)}`.slice(0, 196).concat('.pdf')

const files: [name: string, type: string, downloads: number, size: number][] = [
  ['press-kit.zip', 'application/zip', 231, 1_825_361_100],
  ['lecture-07.mp4', 'video/mp4', 112, 851_000_000],
  [longName, 'application/pdf', 27, 432_000_000],
  ['تقرير الربع الثالث - النسخة النهائية.pdf', 'application/pdf', 44, 1_200_000],
  ['a', 'application/octet-stream', 1, 0],
  ['photo.jpg', 'image/jpeg', 0, 4_200_000],
]

/**
 * Gives the user files with 412 downloads in 30 days, most of them around 5 days ago. The files
 * have no bytes in storage.
 */
export async function makeDownloads(app: TestApp, person: Person): Promise<void> {
  const { db } = app.deps
  for (const [name, type, count, size] of files) {
    const { id } = await makeFile(person, { name, type, bytes: new Uint8Array(10) })
    await db.execute(
      sql`update files set download_count = ${count}, size = ${size} where id = ${id}`,
    )
  }
  const today = utcDay(app.clock())
  for (const [index, count] of downloads.entries()) {
    const daysAgo = downloads.length - 1 - index
    await db.execute(sql`insert into owner_downloads (owner_id, day, shard, count)
      values (${person.id}, ${today}::date - ${daysAgo}::int, 0, ${count})`)
  }
}
