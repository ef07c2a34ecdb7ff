import type { BrowserContext } from '@playwright/test'

/** What browsers said that a person at the console would call an error or a warning. */
export interface Noise {
  /** Listens to everything that the pages of a context say from now on. */
  watch(context: BrowserContext): Promise<void>
  /** Announces something that belongs to the story; it is a fault when it does not come. */
  expect(what: RegExp): void
  /** Lets something pass that belongs to the story and may or may not come. */
  allow(what: RegExp): void
  /** Everything that was said and not expected, and everything expected that was not said. */
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
        // The page's own doing: it was left, or the answer was no longer wanted.
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
