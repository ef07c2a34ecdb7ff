import type pg from 'pg'

/** Makes Postgres send the plan of every statement on a connection as a notice. */
const tellPlans = [
  "load 'auto_explain'",
  'set auto_explain.log_min_duration = 0',
  'set client_min_messages = log',
].join('; ')

const tellNothing = 'set auto_explain.log_min_duration = -1; reset client_min_messages'

/**
 * Returns the plans of all statements that run on the pool during `work`, each with the text of its
 * statement. Postgres has chosen these plans for the values that were really sent.
 */
export async function plansOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<string[]> {
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
  await forAll(tellPlans, (client) => client.on('notice', onNotice))
  await work()
  await forAll(tellNothing, (client) => client.off('notice', onNotice))
  return plans
}
