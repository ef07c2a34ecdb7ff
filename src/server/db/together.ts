import DataLoader from 'dataloader'

/**
 * Makes a function that looks up one key. Keys that are asked for in the same turn of the event
 * loop share one call of `find`, which gets each of them once. Under load the round trip to the
 * database costs more than the query. Nothing is kept, so each result is newer than its request. If
 * `find` fails, everybody whose key it was given gets the error.
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
 * Makes a function that does what `work` does. What is asked for one owner in the same turn of the
 * event loop shares one call of `work`, so items of several callers meet in it. If it fails, all of
 * these callers get the error.
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
