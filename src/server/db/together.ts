import DataLoader from 'dataloader'

/**
 * Returns a function that looks up one key by `find`. Calls in the same turn of the event loop are
 * collected, and `find` gets all their keys at once, each key once. This saves round trips to the
 * database, which cost more than the query when many people ask. Nothing is cached: `find` is
 * always called after the request for the key. If it fails, all collected calls get its error.
 */
export function lookUpTogether<Value>(
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const findAll = async (keys: readonly string[]) => {
    const found = await find([...new Set(keys)])
    return keys.map((key) => found.get(key))
  }
  const loader = new DataLoader(findAll, { cache: false, batchScheduleFn: setImmediate })
  return (key) => loader.load(key)
}

/** Does something with items of one owner. Returns a result for each, in their order. */
export type WorkOfOwner<Item, Result> = (
  ownerId: string,
  items: readonly Item[],
) => Promise<Result[]>

/**
 * Returns a function that does the same as `work`, but calls it less often. Calls for one owner in
 * the same turn of the event loop are collected, and `work` gets all their items at once. Each
 * caller gets the results of its own items. If `work` fails, all collected calls get its error.
 */
export function workTogether<Item, Result>(
  work: WorkOfOwner<Item, Result>,
): WorkOfOwner<Item, Result> {
  type Asked = { ownerId: string; item: Item }
  const workOnAll = async (asked: readonly Asked[]) => {
    const results = new Map<Asked, Result | Error>()
    const ofOwners = [...Map.groupBy(asked, ({ ownerId }) => ownerId)]
    await Promise.all(
      ofOwners.map(async ([ownerId, ofOwner]) => {
        const ended = await work(
          ownerId,
          ofOwner.map(({ item }) => item),
        ).catch(asError)
        for (const [at, one] of ofOwner.entries()) {
          results.set(one, ended instanceof Error ? ended : (ended[at] as Result))
        }
      }),
    )
    return asked.map((one) => results.get(one) as Result | Error)
  }
  const loader = new DataLoader(workOnAll, { cache: false, batchScheduleFn: setImmediate })
  return (ownerId, items) => Promise.all(items.map((item) => loader.load({ ownerId, item })))
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Failed', { cause: error })
}
