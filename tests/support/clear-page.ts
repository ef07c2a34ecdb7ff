import { afterEach } from 'vitest'

// Test files that run in the same worker share one page, so clear it after each test.
afterEach(() => globalThis.document?.body.replaceChildren())
