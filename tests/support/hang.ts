/**
 * After this many milliseconds a test gives up. Only a hang takes so long, even on a slow machine.
 */
export const hangMs = 120_000
