import { useEffect, useState } from 'react'
import { logoFault } from './logo-fault.ts'
import type { LogoChange } from './use-branding.ts'

/** Keeps what a person did to the logo, until it is saved. `savedUrl` is the logo as it is. */
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
    /** Why the last picture was not taken. */
    fault,
    /** The address of the logo to show; null for none. */
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
