import type { BrowserContext } from '@playwright/test'

/**
 * Collects what goes wrong in the browser: errors and warnings on its console, errors that a page
 * does not catch, and requests that fail.
 */
export interface Noise {
  /** Listens to all pages of a context from now on. */
  watch(context: BrowserContext): Promise<void>
  /** Expects a message. If the message does not come, that is a fault. */
  expect(what: RegExp): void
  /** Allows a message, which may come or not. */
  allow(what: RegExp): void
  /**
   * Returns all messages that no test expected or allowed, and all expected ones that did not come.
   */
  faults(): string[]
}

export function listenForNoise(): Noise {
  const heard: string[] = []
  const expected: RegExp[] = []
  const allowed: RegExp[] = []
  return {
    async watch(context) {
      context.on('console', (message) => {
        if (message.type() !== 'error' && message.type() !== 'warning') return
        heard.push(`console ${message.type()}: ${message.text()} at ${message.location().url}`)
      })
      context.on('weberror', (error) => heard.push(`page error: ${error.error().stack}`))
      context.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText ?? ''
        // The page itself ended the request, because it was closed or no longer needed the answer.
        if (reason === 'net::ERR_ABORTED') return
        heard.push(`request failed: ${request.method()} ${request.url()} ${reason}`)
      })
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          console.error(`Content security policy: ${event.violatedDirective} ${event.blockedURI}`)
        })
      })
    },
    expect: (what) => void expected.push(what),
    allow: (what) => void allowed.push(what),
    faults: () => [
      ...heard.filter((line) => ![...expected, ...allowed].some((what) => what.test(line))),
      ...expected
        .filter((what) => !heard.some((line) => what.test(line)))
        .map((what) => `expected and not heard: ${what}`),
    ],
  }
}
