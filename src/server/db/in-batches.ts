/**
 * One statement of a job removes at most this many rows, so it stays far below the time limit of a
 * statement. If the job is interrupted, the rows of earlier statements stay removed.
 */
const removalBatch = 5000

/**
 * Calls `remove` with the size of a batch until it removes fewer rows than that. Returns how many
 * rows were removed in all.
 */
export async function removeInBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const removed = await remove(removalBatch)
    total += removed
    if (removed < removalBatch) return total
  }
}
