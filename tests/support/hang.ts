/**
 * How long a test waits for anything, in milliseconds. Only something that hangs takes so long,
 * even on a slow machine. No test proves anything by an answer that came within this time.
 */
export const hangMs = 120_000
