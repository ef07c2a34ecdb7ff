import type pg from 'pg'

/** Makes Postgres send the plan of every statement on a connection as a notice. */
const tellPlans = [
  "load 'auto_explain'",
  'set auto_explain.log_min_duration = 0',
  'set client_min_messages = log',
].join('; ')

/** Like `tellPlans`, but each step of a plan also tells how many rows it has really read. */
const tellPlansWithRows = `${tellPlans}; set auto_explain.log_analyze = on`

const tellNothing =
  'set auto_explain.log_min_duration = -1; set auto_explain.log_analyze = off; reset client_min_messages'

/**
 * Returns the plans of all statements that run on the pool during `work`, each with the text of its
 * statement. Postgres has chosen these plans for the values that were really sent.
 */
export function plansOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<string[]> {
  return tell(pool, tellPlans, work)
}

/** Returns the same plans as `plansOf`, with the numbers of rows that each step has read. */
export function runPlansOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<string[]> {
  return tell(pool, tellPlansWithRows, work)
}

/** Returns how many rows of a table, or entries of its indexes, a plan of `runPlansOf` has read. */
export function rowsReadOf(plan: string, table: string): number {
  let read = 0
  let loops = 0
  let isOfTable = false
  for (const line of plan.split('\n')) {
    const scan = / on (\w+)\b.*actual .*rows=([\d.]+) loops=(\d+)/.exec(line)
    if (scan) {
      loops = Number(scan[3])
      isOfTable = scan[1] === table || (scan[1] ?? '').startsWith(`${table}_`)
      if (isOfTable) read += Number(scan[2]) * loops
    } else if (/actual .*loops=|never executed/.test(line)) isOfTable = false
    const removed = /Rows Removed by .*: (\d+)/.exec(line)
    if (removed && isOfTable) read += Number(removed[1]) * loops
  }
  return read
}

async function tell(
  pool: pg.Pool,
  settings: string,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const plans: string[] = []
  const onNotice = ({ message = '' }: { message?: string | undefined }) => void plans.push(message)
  const forAll = async (sql: string, then: (client: pg.PoolClient) => unknown) => {
    const count = pool.options.max ?? 1
    const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()))
    for (const client of clients) {
      await client.query(sql)
      then(client)
      client.release()
    }
  }
  await forAll(settings, (client) => client.on('notice', onNotice))
  await work()
  await forAll(tellNothing, (client) => client.off('notice', onNotice))
  return plans
}
