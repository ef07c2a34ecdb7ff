import { afterEach } from 'vitest'

// Test files of a worker share one page, so clean up for the next.
afterEach(() => globalThis.document?.body.replaceChildren())
