/**
 * The test timeout in milliseconds. It is so long that, even on a slow machine, only a test that
 * hangs reaches it.
 */
export const hangTimeoutMs = 120_000
