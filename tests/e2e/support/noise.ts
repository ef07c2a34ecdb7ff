import type { BrowserContext } from '@playwright/test'

/** Collects the errors and warnings of the browser's console. */
export interface Noise {
  /** Listens to all pages of a context from now on. */
  watch(context: BrowserContext): Promise<void>
  /** Expects a message that belongs to the story. It is a fault if the message does not come. */
  expect(what: RegExp): void
  /** Allows a message that belongs to the story and may or may not come. */
  allow(what: RegExp): void
  /** Returns all messages that nobody expected, and all expected ones that did not come. */
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
        // The page itself ended the request: it was left, or did not want the answer any more.
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
