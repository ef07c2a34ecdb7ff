import type { ElectLeader } from './upload-ports.ts'

/** Held by the one tab of this browser that runs the uploads. */
const lockName = 'mayfly-uploads'

/** What an election needs of the browser. */
export interface Electorate {
  /** Absent on an origin that is not secure, and in old browsers. */
  locks: Pick<LockManager, 'request'> | undefined
  /** The window: tells when the tab goes and when it is back. */
  page: Pick<EventTarget, 'addEventListener'>
  /** Loads the page anew. */
  reload: () => void
}

/**
 * Elects by a Web Lock: the browser itself hands it on when the tab that holds it is closed, crashes
 * or is discarded, and Chromium freezes no tab that holds one. Where the browser gives no locks every
 * tab leads itself.
 *
 * A page that is left may be kept whole for the back button. It gives up its place before; one that led
 * is loaded anew when it comes back, since another tab has taken over its uploads, and one that
 * followed stands again, and is told that it follows.
 */
export const createElection =
  ({ locks, page, reload }: Electorate): ElectLeader =>
  (onLead, onFollow) => {
    let hasLed = false
    let leave = new AbortController()

    const lead = () => {
      hasLed = true
      onLead()
    }

    const hold = ({ signal }: AbortController) => {
      lead()
      return new Promise<void>((release) => {
        signal.addEventListener('abort', () => release(), { once: true })
      })
    }

    const stand = async () => {
      const standing = new AbortController()
      leave = standing
      if (!locks) return lead()
      try {
        const led = await locks.request(lockName, { ifAvailable: true }, async (lock) => {
          if (!lock) return false
          if (!standing.signal.aborted) await hold(standing)
          return true
        })
        if (led || standing.signal.aborted) return
        onFollow()
        await locks.request(lockName, { signal: standing.signal }, () => hold(standing))
      } catch {
        // Refused for good (a sandbox, say), unless it was this tab that gave up.
        if (!standing.signal.aborted && !hasLed) lead()
      }
    }

    void stand()
    if (!locks) return
    page.addEventListener('pagehide', () => leave.abort())
    page.addEventListener('pageshow', (event) => {
      if (!('persisted' in event) || event.persisted !== true) return
      if (hasLed) reload()
      else void stand()
    })
  }

/** The election among the tabs of this browser. */
export const electLeader: ElectLeader = (onLead, onFollow) =>
  createElection({
    locks: navigator.locks,
    page: window,
    reload: () => location.reload(),
  })(onLead, onFollow)
