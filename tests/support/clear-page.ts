import { afterEach } from 'vitest'

// The test files that a worker plays share one page. Without this, the tests of the next file would
// find what a test has left in it.
afterEach(() => globalThis.document?.body.replaceChildren())
