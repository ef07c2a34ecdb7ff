import type pg from 'pg'

/** Makes Postgres send each statement's plan to the client as a notice. */
const explainOnSql = [
  "load 'auto_explain'",
  'set auto_explain.log_min_duration = 0',
  'set client_min_messages = log',
].join('; ')

/** Like `explainOnSql`, but the plans include actual row counts. */
const analyzeOnSql = `${explainOnSql}; set auto_explain.log_analyze = on`

const explainOffSql =
  'set auto_explain.log_min_duration = -1; set auto_explain.log_analyze = off; reset client_min_messages'

/** Returns the plans of all statements executed during `work`, including their SQL. */
export function queryPlansOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<string[]> {
  return collectPlans(pool, explainOnSql, work)
}

/** Like `queryPlansOf`, but the plans include actual row counts. */
export function analyzedPlansOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<string[]> {
  return collectPlans(pool, analyzeOnSql, work)
}

/**
 * Returns how many rows or index entries were read from a table, according to a plan from
 * `analyzedPlansOf`. An index search that finds nothing counts as one.
 */
export function countRowsRead(plan: string, table: string): number {
  const planNodes = plan.split(/\n(?=.*(?:actual .*loops=|never executed))/)
  return planNodes.reduce((sum, node) => sum + countNodeRows(node, table), 0)
}

/**
 * Returns how many rows a single plan node read. Its first line contains the name of the table or
 * index.
 */
function countNodeRows(node: string, table: string): number {
  const scanMatch = / on (\w+)\b.*actual .*rows=([\d.]+) loops=(\d+)/.exec(node)
  const [, name = '', rowsPerLoop, loops] = scanMatch ?? []
  if (name !== table && !name.startsWith(`${table}_`)) return 0
  let rowCount = Number(rowsPerLoop)
  for (const [, removedCount] of node.matchAll(/Rows Removed by .*: (\d+)/g))
    rowCount += Number(removedCount)
  const searchCount = /Index Searches: (\d+)/.exec(node)?.[1] ?? 0
  return Math.max(rowCount * Number(loops), Number(searchCount))
}

async function collectPlans(
  pool: pg.Pool,
  settingsSql: string,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const plans: string[] = []
  const onNotice = ({ message = '' }: { message?: string | undefined }) => void plans.push(message)
  const forEachClient = async (setupSql: string, configure: (client: pg.PoolClient) => unknown) => {
    const clientCount = pool.options.max ?? 1
    const clients = await Promise.all(Array.from({ length: clientCount }, () => pool.connect()))
    for (const client of clients) {
      await client.query(setupSql)
      configure(client)
      client.release()
    }
  }
  await forEachClient(settingsSql, (client) => client.on('notice', onNotice))
  await work()
  await forEachClient(explainOffSql, (client) => client.off('notice', onNotice))
  return plans
}
