/** Test timeout in milliseconds. Even on a slow machine, only a test that hangs takes this long. */
export const hangTimeoutMs = 120_000
