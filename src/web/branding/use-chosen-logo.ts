import { useEffect, useState } from 'react'
import { logoFault } from './logo-fault.ts'
import type { LogoChange } from './use-branding.ts'

/**
 * Remembers how the user has changed the logo, until the form is saved.
 * @param savedUrl the URL of the logo that the server has stored; null for none.
 */
export function useChosenLogo(savedUrl: string | null) {
  const [change, setChange] = useState<LogoChange>('keep')
  const [fault, setFault] = useState<string>()
  const [chosenUrl, setChosenUrl] = useState<string | null>(null)

  useEffect(() => {
    if (typeof change === 'string') return setChosenUrl(null)
    const url = URL.createObjectURL(change.picture)
    setChosenUrl(url)
    return () => URL.revokeObjectURL(url)
  }, [change])

  const set = (next: LogoChange) => {
    setFault(undefined)
    setChange(next)
  }
  return {
    change,
    /**
     * Why the browser refused the last chosen file. undefined: it refused none since the logo was
     * last changed, removed or reset.
     */
    fault,
    /** The URL of the logo that the form shows; null for no logo. */
    shown: change === 'keep' ? savedUrl : chosenUrl,
    choose(picture: File) {
      const found = logoFault(picture)
      if (found) setFault(found)
      else set({ picture })
    },
    remove: () => set(savedUrl === null ? 'keep' : 'remove'),
    reset: () => set('keep'),
  }
}
