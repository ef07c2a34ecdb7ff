import type { Tier } from '../../src/shared/rules/tiers/tier.ts'

export type RunSql = (text: string, values?: unknown[]) => Promise<unknown>

/** Inserts users with the ids 'owner 1', 'owner 2' and so on. They can't sign in. */
export async function insertUsers(sql: RunSql, count: number, tier: Tier): Promise<void> {
  await sql(
    `insert into users (id, name, email, tier, created_at, updated_at)
    select 'owner ' || n, 'Ada Lovelace', 'ada.' || n || '@example.org', $2, now(), now()
    from generate_series(1, $1::int) n`,
    [count, tier],
  )
}
