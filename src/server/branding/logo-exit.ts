/** The exit codes of `logo-process.ts`. Any other, or a signal, means that it failed. */
export const logoExit = { converted: 0, unreadable: 10, tooManyPixels: 11 } as const

/** The most bytes of a logo as it is served, so that a page with it stays below 100 KB. */
export const maxLogoPngBytes = 24 * 1024
