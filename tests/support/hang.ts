/** Test timeout in milliseconds. Only a hang takes this long, even on a slow machine. */
export const hangTimeoutMs = 120_000
