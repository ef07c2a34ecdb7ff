import { afterEach } from 'vitest'

// All test files of a worker share one page, so clear it for the next one.
afterEach(() => globalThis.document?.body.replaceChildren())
