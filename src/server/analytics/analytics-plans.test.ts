import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, makePerson } from '../../../tests/support/make.ts'
import { insertFiles } from '../../../tests/support/many-files.ts'
import { plansOf } from '../../../tests/support/query-plans.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { Analytics } from '../../shared/contract/analytics.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('the plan of every query, at 10,000 files', () => {
  it('reads no table from end to end, although nearly all files are of one user', async () => {
    const ada = await makePerson(app, { tier: 'premium' })
    await insertFiles(app, ada.id, 10_000)
    await insertFiles(app, (await makePerson(app)).id, 1000)
    await app.pool.query(`
      with counted as (
        update files set download_count = 1 + abs(hashtext(id::text)) % 40 returning id, owner_id
      ), per_file as (
        insert into file_downloads select id, current_date - n, 1 from counted, generate_series(0, 2) n
        on conflict do nothing
      )
      insert into owner_downloads
        select id, current_date - n, shard, 9
        from (select distinct owner_id as id from counted) owners,
          generate_series(0, 200) n, generate_series(0, 15) shard
        on conflict do nothing`)
    await app.pool.query('vacuum analyze files, file_downloads, owner_downloads')
    const read = async () => json<Analytics>(await ada.fetch('/api/analytics'))
    const [{ id } = { id: '' }] = (await read()).mostDownloaded
    const plans = await plansOf(app.pool, async () => {
      await read()
      await ada.fetch(`/api/files/${id}/stats`)
    })
    const ours = plans.filter((plan) => /from "(files|file_downloads|owner_downloads)"/.test(plan))
    expect(ours).toHaveLength(5)
    for (const plan of ours) expect(plan).not.toContain('Seq Scan')
    const scans = [
      'Index Only Scan using files_of_owner_by_end',
      'owner_downloads_owner_id_day_shard_pk',
      'file_downloads_file_id_day_pk',
    ]
    for (const scan of scans) expect(ours.join('\n')).toContain(scan)
  })
})
