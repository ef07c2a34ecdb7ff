import { afterEach } from 'vitest'

// A worker's test files share one page, so clear it for the next file.
afterEach(() => globalThis.document?.body.replaceChildren())
