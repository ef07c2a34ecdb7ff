import { afterEach } from 'vitest'

// The test files that a worker plays share one page. What a test leaves in it, the tests of the
// next file would find.
afterEach(() => globalThis.document?.body.replaceChildren())
