/**
 * The exit codes of `logo-process.ts`. Any other code, or a signal, means that the process failed.
 */
export const logoExit = { converted: 0, unreadable: 10, tooManyPixels: 11 } as const

/** A logo has at most this many bytes, so that a page with a logo stays below 100 KB. */
export const maxLogoPngBytes = 24 * 1024
