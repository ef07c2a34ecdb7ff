/**
 * How long a test waits for anything, in milliseconds. Even on a slow machine, only something that
 * hangs takes so long. No test proves anything by an answer within this time.
 */
export const hangMs = 120_000
