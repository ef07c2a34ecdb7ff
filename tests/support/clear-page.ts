import { configure } from '@testing-library/dom'
import { afterEach } from 'vitest'
import { hangTimeoutMs } from './hang-timeout.ts'

configure({ asyncUtilTimeout: hangTimeoutMs })

// Test files that run in the same worker share one page, so clear it after each test.
afterEach(() => globalThis.document?.body.replaceChildren())
