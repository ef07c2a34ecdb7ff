import type { BrowserContext } from '@playwright/test'

/** Collects console errors and warnings, uncaught errors and failed requests. */
export interface ErrorWatcher {
  watch(context: BrowserContext): Promise<void>
  /** Like `allow`, but the test fails if no message matches. */
  expect(pattern: RegExp): void
  allow(pattern: RegExp): void
  /** Returns the unexpected messages, and the expected patterns that no message matched. */
  unexpectedErrors(): string[]
}

export function watchForErrors(): ErrorWatcher {
  const messages: string[] = []
  const expectedPatterns: RegExp[] = []
  const allowedPatterns: RegExp[] = []
  return {
    async watch(context) {
      context.on('console', (message) => {
        if (message.type() !== 'error' && message.type() !== 'warning') return
        messages.push(`console ${message.type()}: ${message.text()} at ${message.location().url}`)
      })
      context.on('weberror', (error) => messages.push(`page error: ${error.error().stack}`))
      context.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText ?? ''
        // The page itself aborted the request.
        if (reason === 'net::ERR_ABORTED') return
        messages.push(`request failed: ${request.method()} ${request.url()} ${reason}`)
      })
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          console.error(`Content security policy: ${event.violatedDirective} ${event.blockedURI}`)
        })
      })
    },
    expect: (pattern) => void expectedPatterns.push(pattern),
    allow: (pattern) => void allowedPatterns.push(pattern),
    unexpectedErrors: () => [
      ...messages.filter(
        (line) => ![...expectedPatterns, ...allowedPatterns].some((pattern) => pattern.test(line)),
      ),
      ...expectedPatterns
        .filter((pattern) => !messages.some((line) => pattern.test(line)))
        .map((pattern) => `missing: ${pattern}`),
    ],
  }
}
