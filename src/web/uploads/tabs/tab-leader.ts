import type { ElectLeader } from '../upload-ports.ts'

/** The name of a Web Lock. The tab that has this lock runs the uploads of the browser. */
const lockName = 'mayfly-uploads'

/** What an election needs from the browser. */
export interface ElectionDeps {
  /** Absent in old browsers, and where the page was not loaded by HTTPS or from localhost. */
  locks: Pick<LockManager, 'request'> | undefined
  /** The window. It reports when the page is left, and when the back button brings it back. */
  page: Pick<EventTarget, 'addEventListener'>
  /** Loads the page again. */
  reload: () => void
}

/**
 * Elects the leader, the tab that runs the uploads, by a Web Lock. When the leader's tab is closed,
 * crashes or is discarded, the browser gives the lock to another tab. Chromium never freezes a tab
 * that has a lock. If the browser has no locks, every tab becomes a leader.
 *
 * A page that is left gives up the lock, since the browser may keep the page for the back button.
 * When the person comes back to it, the page is loaded again if it was the leader, because another
 * tab runs its uploads now. Otherwise it joins the election again.
 *
 * A leader may stop answering, for instance in a debugger. Another tab can then take the lock from
 * it. The old leader follows the new one as soon as it runs again.
 */
export function createElection({ locks, page, reload }: ElectionDeps): ElectLeader {
  return (onLead, onFollow) => {
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

    /**
     * Resolves when this tab gives up the lock. Rejects when another tab takes the lock, when the
     * browser refuses it, or when this tab stops waiting for it.
     */
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
        // This tab itself has stopped waiting for the lock.
        if (signal.aborted) return
        // The browser gives this page no locks, for instance in a sandbox.
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
}

/** The election between the tabs of this browser. */
export const electLeader: ElectLeader = (onLead, onFollow) =>
  createElection({
    locks: navigator.locks,
    page: window,
    reload: () => location.reload(),
  })(onLead, onFollow)
