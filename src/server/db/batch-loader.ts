import DataLoader from 'dataloader'

/**
 * Returns a function that looks up one key. Calls of the same turn of the event loop share one call
 * of `find`: a query for each would more than halve the page throughput at 32 clients. Nothing is
 * cached. If `find` fails, all its callers get the error.
 */
export function batchLoader<Value>(
  find: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const findAll = async (keys: readonly string[]) => {
    const found = await find([...new Set(keys)])
    return keys.map((key) => found.get(key))
  }
  const loader = new DataLoader(findAll, { cache: false, batchScheduleFn: setImmediate })
  return (key) => loader.load(key)
}
