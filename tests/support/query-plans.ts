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

/**
 * Returns how many rows of a table, or entries of its indexes, a plan of `runPlansOf` has read. A
 * search in an index counts as one entry even if it finds nothing.
 */
export function rowsReadOf(plan: string, table: string): number {
  const steps = plan.split(/\n(?=.*(?:actual .*loops=|never executed))/)
  return steps.reduce((sum, step) => sum + rowsReadIn(step, table), 0)
}

/** Returns the same of one step of a plan, whose first line names the table or the index. */
function rowsReadIn(step: string, table: string): number {
  const scan = / on (\w+)\b.*actual .*rows=([\d.]+) loops=(\d+)/.exec(step)
  const [, name = '', found, loops] = scan ?? []
  if (name !== table && !name.startsWith(`${table}_`)) return 0
  let rows = Number(found)
  for (const [, removed] of step.matchAll(/Rows Removed by .*: (\d+)/g)) rows += Number(removed)
  const searches = /Index Searches: (\d+)/.exec(step)?.[1] ?? 0
  return Math.max(rows * Number(loops), Number(searches))
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
