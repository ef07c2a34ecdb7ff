import type { ElectLeader } from '../upload-ports.ts'

/** Held by the one tab of this browser that runs the uploads. */
const lockName = 'mayfly-uploads'

/** What an election needs of the browser. */
export interface ElectionDeps {
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
 * followed stands again, and is told that it follows. A leader that does not answer, such as one that
 * a debugger has stopped, can be robbed of its lock; it follows as soon as it runs again.
 */
export const createElection =
  ({ locks, page, reload }: ElectionDeps): ElectLeader =>
  (onLead, onFollow) => {
    let hasLed = false
    let leave = new AbortController()

    const lead = () => {
      hasLed = true
      onLead()
    }

    const hold = (signal: AbortSignal) => {
      lead()
      return new Promise<void>((release) => {
        signal.addEventListener('abort', () => release(), { once: true })
      })
    }

    /** Resolves when this tab gives up; rejects when it is robbed, or refused. */
    const request = async (locks: ElectionDeps['locks'] & object, steal: boolean) => {
      const { signal } = leave
      if (steal) return locks.request(lockName, { steal }, () => hold(signal))
      const led = await locks.request(lockName, { ifAvailable: true }, async (lock) => {
        if (!lock) return false
        if (!signal.aborted) await hold(signal)
        return true
      })
      if (led || signal.aborted) return
      onFollow()
      await locks.request(lockName, { signal }, () => hold(signal))
    }

    const stand = async (steal = false): Promise<void> => {
      leave.abort()
      leave = new AbortController()
      const { signal } = leave
      if (!locks) return lead()
      try {
        await request(locks, steal)
      } catch {
        // It was this tab that gave up.
        if (signal.aborted) return
        // Refused for good: a sandbox, say.
        if (!hasLed) return lead()
        hasLed = false
        await stand()
      }
    }

    const election = { takeOver: () => void (hasLed ? undefined : stand(true)) }
    void stand()
    if (!locks) return election
    page.addEventListener('pagehide', () => leave.abort())
    page.addEventListener('pageshow', (event) => {
      if (!('persisted' in event) || event.persisted !== true) return
      if (hasLed) reload()
      else void stand()
    })
    return election
  }

/** The election among the tabs of this browser. */
export const electLeader: ElectLeader = (onLead, onFollow) =>
  createElection({
    locks: navigator.locks,
    page: window,
    reload: () => location.reload(),
  })(onLead, onFollow)
