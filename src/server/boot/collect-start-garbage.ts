/** After this time, the first requests of those who waited for the start have been answered. */
const waitMs = 2_000

/**
 * Frees, soon after the start, the memory that only the start needed: mostly what loading the
 * modules left. Node itself would collect it only when much more is used. This flavor also gives
 * empty pages back to the system; a plain collection keeps them. It stops everything for some
 * 100 ms, once. It needs Node's option `--expose-gc`, which `npm start` sets. Without that option,
 * nothing is done.
 */
export function collectStartGarbage(): void {
  setTimeout(
    () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    waitMs,
  ).unref()
}
