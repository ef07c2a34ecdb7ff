/**
 * A limit in milliseconds that only what hangs ever meets, on a machine however slow. Whatever waits in
 * a test waits so long; nothing is ever proved by an answer that came within it.
 */
export const hangMs = 120_000
