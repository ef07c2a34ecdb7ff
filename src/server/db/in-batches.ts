/**
 * The rows that one statement of a job removes at most. It stays far below the time that a
 * statement may take, and what was removed stays removed when the job is interrupted.
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
