import type { Tier } from '../src/shared/rules/tier.ts'
import type { Mayfly } from './mayfly.ts'

/** Inserts users with the ids 'owner 1', 'owner 2' and so on. They cannot sign in. */
export async function fillUsers(mayfly: Mayfly, count: number, tier: Tier): Promise<void> {
  await mayfly.sql(
    `insert into users (id, name, email, tier, created_at, updated_at)
    select 'owner ' || n, 'Ada Lovelace', 'ada.' || n || '@example.org', $2, now(), now()
    from generate_series(1, $1::int) n`,
    [count, tier],
  )
}
